import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readInvocation } from '../src/cli/command-line.ts';
import { endpoints } from './_walk.ts';

const page = readFileSync(new URL('../.github/SECURITY.md', import.meta.url), 'utf8');

test('the command of SECURITY.md works', () => {
  const [, ...args] = /^ {4}(wirebin --disable .*)$/m.exec(page)?.[1]?.split(' ') ?? [];
  expect(args).toHaveLength(2);
  expect(readInvocation(args, {})).toMatchObject({ settings: { disable: args[1]?.split(',') } });
});

test('the endpoints that SECURITY.md warns of are there', () => {
  const table = page.split('<!-- risks -->')[1]?.split('<!-- /risks -->')[0] ?? '';
  const rows = table.split('\n').map((row) => row.split('|')[1] ?? '');
  const named = rows.flatMap((cell) => [...cell.matchAll(/`(\/[^`]*)`/g)].map(([, path]) => path));
  expect(named.length).toBeGreaterThan(5);
  const paths = new Set(endpoints.flatMap(({ path }) => [path, `/${path.split('/')[1]}`]));
  expect(named.filter((path) => !paths.has(String(path)))).toEqual([]);
});
