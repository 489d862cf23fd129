import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

/** Makes a file of dist/ from each of src/, says so, and fails if a source has an error. */
const COMPILER = `
const { readdirSync, readFileSync, writeFileSync } = require('node:fs');
console.log('compiles');
for (const name of readdirSync('src')) {
  const text = readFileSync('src/' + name, 'utf8');
  writeFileSync('dist/' + name.replace('.ts', '.js'), text);
  if (text === 'error') process.exitCode = 2;
}
`;

const root = mkdtempSync(join(tmpdir(), 'wirebin-build-'));
afterAll(() => rmSync(root, { recursive: true }));
const path = (name: string) => join(root, name);

function write(name: string, text: string): void {
  mkdirSync(dirname(path(name)), { recursive: true });
  writeFileSync(path(name), text);
}

const build = () =>
  spawnSync(process.execPath, [path('scripts/build.mjs')], { cwd: root, encoding: 'utf8' });

/** Builds. @returns whether it compiled */
const compiles = () => build().stdout !== '';

beforeAll(() => {
  write('scripts/browser.mjs', '');
  write('scripts/docs.mjs', '');
  write('node_modules/typescript/bin/tsc', COMPILER);
  copyFileSync('scripts/build.mjs', path('scripts/build.mjs'));
});

/** Each test begins with what has just been compiled. */
beforeEach(() => {
  for (const folder of ['src', 'dist']) rmSync(path(folder), { recursive: true, force: true });
  write('package.json', '{}');
  write('docs/a.md', 'a1');
  write('src/a.ts', 'a1');
  write('src/b.ts', 'b1');
  expect(compiles()).toBe(true);
});

const old = new Date(0);
const changes: readonly (readonly [string, boolean, () => void])[] = [
  ['nothing', false, () => undefined],
  [
    'the time of a source, as after git checkout',
    false,
    () => utimesSync(path('src/a.ts'), old, old),
  ],
  ['a source', true, () => write('src/a.ts', 'a2')],
  ['a new source', true, () => write('src/c.ts', 'c1')],
  ['a source that is gone', true, () => rmSync(path('src/b.ts'))],
  ['a page of docs/', true, () => write('docs/a.md', 'a2')],
  ['package.json', true, () => write('package.json', '{ }')],
  ['a compiled file', true, () => write('dist/a.js', 'a2')],
  ['a compiled file that is gone', true, () => rmSync(path('dist/a.js'))],
  ['dist/ that is gone', true, () => rmSync(path('dist'), { recursive: true })],
];

test.each(changes)('a build after a change of %s: it compiles: %s', (_, anew, change) => {
  change();
  expect(compiles()).toBe(anew);
  if (anew) expect(compiles()).toBe(false);
  for (const name of ['a', 'b', 'c']) {
    const source = path(`src/${name}.ts`);
    expect(existsSync(path(`dist/${name}.js`))).toBe(existsSync(source));
    if (!existsSync(source)) continue;
    expect(readFileSync(path(`dist/${name}.js`), 'utf8')).toBe(readFileSync(source, 'utf8'));
  }
});

test('what does not compile is compiled again, with exit 1', () => {
  write('src/a.ts', 'error');
  expect(build().status).toBe(1);
  expect(build().status).toBe(1);
});

test('a build of other sources in between is noticed', () => {
  write('src/a.ts', 'a3');
  build();
  write('src/a.ts', 'a2');
  expect(compiles()).toBe(true);
});
