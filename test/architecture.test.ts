import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('..', import.meta.url);
const page = readFileSync(new URL('ARCHITECTURE.md', root), 'utf8');
const tree = page.split('<!-- tree -->')[1]?.split('<!-- /tree -->')[0] ?? '';

function sources(): string[] {
  return readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
}

test('the tree names every source, endpoints by their rule', () => {
  const names = sources()
    .filter((path) => !path.startsWith('endpoints/'))
    .map((path) => path.replace(/^.*\//, ''));
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name) => !tree.includes(` ${name}`))).toEqual([]);
});

test('the tree names no source that is not there', () => {
  const named = [...tree.matchAll(/(?<= )[\w.-]+\.ts\b/g)].map(([name]) => name);
  const there = new Set(sources().map((path) => path.replace(/^.*\//, '')));
  expect(named.filter((name) => !there.has(name))).toEqual([]);
});

test('no source is longer than 250 lines', () => {
  const long = sources().filter(
    (path) => readFileSync(new URL(`src/${path}`, root), 'utf8').split('\n').length > 251,
  );
  expect(long).toEqual([]);
});
