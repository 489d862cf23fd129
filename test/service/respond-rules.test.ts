import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadRules } from '../../src/service/respond-rules.ts';
import { SettingsError } from '../../src/settings/settings-error.ts';
import { readSettings } from '../_settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'wirebin-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(content: string): string {
  const path = join(folder, 'rules.txt');
  writeFileSync(path, content);
  return path;
}

test('rules are of flags and files, in order; empty lines and comments are none', async () => {
  const path = fileWith('# a comment\r\n\nGET /b: status=201\n  * /c*: body=é\n');
  const rules = await loadRules(
    readSettings([
      '--respond',
      'GET /a: status=200',
      '--respond',
      `@${path}`,
      '--respond=GET /d: delay=1',
    ]),
  );
  expect(rules).toEqual([
    { text: 'GET /a: status=200', place: "respond 'GET /a: status=200'" },
    { text: 'GET /b: status=201', place: `${path}:3` },
    { text: '* /c*: body=é', place: `${path}:4` },
    { text: 'GET /d: delay=1', place: "respond 'GET /d: delay=1'" },
  ]);
});

test.each([
  ['GET /a status=200', "respond 'GET /a status=200': is not METHOD PATTERN: description"],
  ['/a: status=200', 'is not METHOD PATTERN: description'],
  ['GET a: status=200', 'is not METHOD PATTERN: description'],
  ['G(T /a: status=200', 'is not METHOD PATTERN: description'],
  [
    'GET /a: stauts=200',
    "respond 'GET /a: stauts=200': stauts is not a parameter of /respond; did you mean status?",
  ],
  ['GET /a: delay=301', "respond 'GET /a: delay=301': delay=301 exceeds the maximum of 300"],
  ['GET /a: status=204&body=a', "respond 'GET /a: status=204&body=a': status contradicts body"],
])('%s: %s', async (rule, message) => {
  const loading = loadRules(readSettings(['--respond', rule]));
  await expect(loading).rejects.toThrow(SettingsError);
  await expect(loading).rejects.toThrow(message);
});

test('what is wrong in a file is named by its line', async () => {
  const path = fileWith('\nGET /a: status=1\n');
  await expect(loadRules(readSettings(['--respond', `@${path}`]))).rejects.toThrow(
    `${path}:2: status=1`,
  );
  await expect(loadRules(readSettings(['--respond', '@/nowhere/x']))).rejects.toThrow(
    'respond: cannot read /nowhere/x: ',
  );
});

test('not with --lean', () => {
  expect(() => readSettings(['--respond', 'GET /a: status=200', '--lean'])).toThrow(
    '--respond does not work with --lean',
  );
});
