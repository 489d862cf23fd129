import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const CHANGELOG = `# Changelog

## [Unreleased]

### Added

- Later.

## [1.2.3] - 2026-11-22

### Fixed

- This.

## [1.2.2] - 2026-11-21

- Before.
`;

/** What .ci/release-notes.mjs does with the tag of a package of this version. */
function notes(tag: string, version: string) {
  const folder = mkdtempSync(join(tmpdir(), 'wirebin-release-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'CHANGELOG.md'), CHANGELOG);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ version }));
  const args = [join(root, '.ci/release-notes.mjs'), tag];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
  });
  return [status, stdout + stderr];
}

test('the notes of a release are its section of the changelog', () => {
  expect(notes('v1.2.3', '1.2.3')).toEqual([0, '### Fixed\n\n- This.\n']);
  const missing = "CHANGELOG.md has no section '## [1.2.4] - DATE'\n";
  expect(notes('v1.2.4', '1.2.4')).toEqual([1, missing]);
  const other = "the tag is 'v1.2.3', but the package has the version 1.2.2\n";
  expect(notes('v1.2.3', '1.2.2')).toEqual([1, other]);
});
