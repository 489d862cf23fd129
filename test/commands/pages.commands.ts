import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { installed } from '../_process.ts';
import { blocksOf, commandsOf, pages } from './_blocks.ts';
import { all, found, isOf, run } from './_chosen.ts';
import { PageRun } from './_judge.ts';
import { Place } from './_place.ts';
import { PROGRAMS } from './_tables.ts';

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

const missing = PROGRAMS.filter(
  (program) => program !== 'wirebin' && spawnSync('sh', ['-c', `type ${program}`]).status !== 0,
);
const present = PROGRAMS.filter((program) => !missing.includes(program));

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

const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0;

test.skipIf(!hasPytest)('the example for pytest passes', async () => {
  const library = pages.find(({ path }) => path === 'docs/library.md');
  const example = library?.blocks.find(({ language }) => language === 'python');
  const file = join(folder, 'test_example.py');
  writeFileSync(file, example?.text ?? '');
  const { code, output } = await place.run(`python3 -m pytest '${file}'`);
  expect(output).toContain('1 passed');
  expect(code).toBe(0);
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
