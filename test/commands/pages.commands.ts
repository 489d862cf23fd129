import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Endpoint } from '../../src/server/endpoint.ts';
import { installed } from '../_process.ts';
import { endpoints } from '../_walk.ts';
import { blocksOf, commandsOf, pages, type Block, type Command } from './_blocks.ts';
import { held, PageRun } from './_judge.ts';
import { Place } from './_place.ts';
import { CLAIMS, NOT_COMMANDS, NOT_RUN, PROGRAMS } from './_tables.ts';

const installation = installed('bundled');
const folder = mkdtempSync(join(tmpdir(), 'wirebin-commands-'));
let place: Place;

beforeAll(async () => {
  const { main, root } = installation();
  // What an HTML report includes.
  symlinkSync(join(inject('compiled'), 'browser'), join(root, 'browser'));
  place = await Place.create(folder, main);
});

afterAll(() => {
  place.end();
  rmSync(folder, { recursive: true });
});

const applied = new Set<RegExp>();

function isIn(table: readonly (readonly [RegExp, string])[], text: string): boolean {
  const row = table.find(([pattern]) => pattern.test(text));
  if (row) applied.add(row[0]);
  return row !== undefined;
}

function hasCommands({ language, text }: Block): boolean {
  if (language === undefined) return !isIn(NOT_COMMANDS, text);
  const isOfShell = /^(?:sh|bash|shell|console)$/.test(language);
  return isOfShell || (language === '' && /^(?:\$ )?(?:curl|npm|wirebin) /m.test(text));
}

const missing = PROGRAMS.filter(
  (program) => program !== 'wirebin' && spawnSync('sh', ['-c', `type ${program}`]).status !== 0,
);
const present = PROGRAMS.filter((program) => !missing.includes(program));

/** Whether it has these programs only: words that begin it, after its variables, or follow a pipe. */
function isOf(programs: readonly string[], { text }: Command): boolean {
  const plain = text.replace(/^npm start\b/, 'wirebin').replaceAll(/'[^']*'/g, '');
  const words = plain.matchAll(/(?:^|[|;&(]\s*)(?:[A-Z_]+=\S+ )*([\w/.-]+)/g);
  return Array.from(words, ([, word = '']) => word).every((word) => programs.includes(word));
}

const found = pages.flatMap((page) => {
  const blocks = page.blocks.filter(hasCommands).map(commandsOf);
  const chosen = blocks.map((commands) =>
    commands.filter(({ written }) => !isIn(NOT_RUN, written)),
  );
  return [{ page, all: blocks.flat(), blocks: chosen, run: chosen.flat() }];
});
const all = found.flatMap((each) => each.all);
const run = found.flatMap((each) => each.run);

test('a page has no other programs, which might change the machine', () => {
  expect(run.filter((command) => !isOf(PROGRAMS, command))).toEqual([]);
});

test.skip.each(missing)('%s is missing', () => undefined);

describe(`${run.length} of ${all.length} commands, ${all.length - run.length} stand in a table`, () => {
  const rows = found
    .filter((each) => each.run.length > 0)
    .map(({ page, blocks, run: { length } }) => [page.path, length, page, blocks] as const);

  test.concurrent.each(rows)('%s: %i', async (_, __, page, blocks) => {
    const here = blocks.map((commands) => commands.filter((command) => isOf(present, command)));
    expect(await new PageRun(page, place).faults(here)).toEqual([]);
  });
});

test.concurrent.each([
  ['a wrong path', 'curl localhost:8080/anythin'],
  ['a wrong value', "curl 'localhost:8080/drip?numbytes=five'"],
  ['a wrong option of curl', 'curl --http2-prior-knowlege localhost:8080/get'],
  ['no -k', 'curl https://localhost:8080/get'],
  ['a setting that is off, and not named', 'curl localhost:8080/connections'],
  ['a wrong setting', 'wirebin --metrics'],
  ['a wrong option of check', 'wirebin check https://lb.example --onl hop/via-request'],
  ['code that is not shown', 'curl localhost:8080/anything # `conn.proxy_protocol` has it'],
  ['a status that is not sent', 'curl -r 100-199 localhost:8080/range/1000 # 200 with a range'],
  ['a status once, and never another', 'curl localhost:8080/retry/a1 # 500, then 200'],
])('%s is found: %s', async (_, text) => {
  const [block] = blocksOf(`\n\n    ${text}\n`);
  const page = { path: 'page.md', text, blocks: [] };
  expect(
    await new PageRun(page, place).faults([commandsOf(block ?? { line: 0, text })]),
  ).toHaveLength(1);
});

test('what the tables have is in a page', () => {
  const patterns = [...NOT_COMMANDS, ...NOT_RUN, ...CLAIMS].map(([pattern]) => pattern);
  expect(patterns.filter((pattern) => !applied.has(pattern) && !held.has(pattern))).toEqual([]);
});

/** The endpoints at a path of a URL. */
function endpointsAt(path: string): Endpoint[] {
  return endpoints.filter((each) => {
    const pattern = each.path.replace(/\*\w+/, '.*').replaceAll(/\{\w+\}/g, '[^/]+');
    return new RegExp(`^${pattern}$`).test(path);
  });
}

test('parameters are those of their endpoints, which ignore most others', () => {
  const urls = all.flatMap(({ text }) =>
    Array.from(
      text.matchAll(/(?:8080|\.example)(\/[^\s'?]*)\?([^\s']+)/g),
      ([, path = '', query = '']) => ({
        path,
        names: query.split('&').map((pair) => pair.replace(/=.*/, '')),
      }),
    ),
  );
  expect(urls.length).toBeGreaterThan(50);
  const unknown = urls.flatMap(({ path, names }) =>
    names
      .filter((name) => name !== 'dialect')
      .filter((name) => !endpointsAt(path).some((each) => each.additionalQuery ?? each.query[name]))
      .map((name) => `${path}?${name}`),
  );
  expect(unknown).toEqual([]);
});
