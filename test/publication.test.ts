import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { publicationPages, publishedAt } from '../scripts/publication.ts';
import { withSections } from '../scripts/tables.ts';

const read = (path: string) => readFileSync(path, 'utf8');

/** What the pages say if wirebin is published there, or nowhere. */
function pagesAt(at: string | undefined): Record<string, string> {
  const pages = Object.entries(publicationPages(at)).map(([path, sections]) => [
    path,
    withSections(read(path), sections),
  ]);
  return Object.fromEntries(pages);
}

test('what is not published is not offered', () => {
  const text = Object.values(pagesAt(undefined)).join('\n');
  expect(text).toMatch(/npm pack/);
  expect(text).not.toMatch(/npx (?:--yes )?wirebin|npm install --global wirebin|ghcr\.io|cosign/);
});

test('what is published is offered from where it is', () => {
  const text = Object.values(pagesAt('Some/wirebin')).join('\n');
  expect(text).toMatch(/npx wirebin --port/);
  expect(text).toContain('ghcr.io/some/wirebin:');
  expect(text).toContain(String.raw`'^https://github\.com/Some/wirebin/\.github/workflows/`);
  expect(text).not.toMatch(/npm pack| yet\b|OWNER/);
});

test.each([undefined, 'Some/wirebin'])('README has at most 150 lines with %s', (at) => {
  const lines = pagesAt(at)['README.md']?.trimEnd().split('\n') ?? [];
  expect(lines.length).toBeLessThanOrEqual(150);
});

test('the release workflow turns the switch before it packs', () => {
  const { jobs } = parse(read('.github/workflows/release.yml'));
  const runs: readonly string[] = jobs.package.steps.map(({ run = '' }) => run);
  const turn = runs.findIndex((run) => run.includes('npm pkg set repository'));
  expect(runs[turn]).toContain('npm run docs');
  expect(runs.findIndex((run) => run.startsWith('npm pack'))).toBeGreaterThan(turn);
  const written = JSON.stringify({
    repository: { url: 'git+https://github.com/Some/wirebin.git' },
  });
  expect(publishedAt(written)).toBe('Some/wirebin');
  expect(publishedAt('{ "name": "wirebin" }')).toBeUndefined();
});

/** What CODEOWNERS lacks or has too much if wirebin is published there, or nowhere. */
function wrongOwners(codeowners: string, at: string | undefined): string[] {
  const rules = codeowners.split('\n').filter((line) => /^[^#]/.test(line));
  if (at === undefined) return rules;
  if (rules.length === 0) return ['no rule'];
  const owner = new RegExp(`@${at.split('/')[0]}\\b`);
  return rules.filter((rule) => !owner.test(rule));
}

test('reviews are asked of those who own the repository, and of nobody before', () => {
  expect(wrongOwners('# @nobody\n', undefined)).toEqual([]);
  expect(wrongOwners('* @nobody\n', undefined)).toEqual(['* @nobody']);
  expect(wrongOwners('# none\n', 'Some/wirebin')).toEqual(['no rule']);
  expect(wrongOwners('* @Some/reviewers\n/src @Other\n', 'Some/wirebin')).toEqual(['/src @Other']);
  const at = publishedAt(read('package.json'));
  expect(wrongOwners(read('.github/CODEOWNERS'), at)).toEqual([]);
});

test('--help names no file that the package does not have', () => {
  expect(read('test/settings/config.help.txt') + read('docs/wirebin.1')).not.toMatch(/\bdocs\\?\//);
});
