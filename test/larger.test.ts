import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const files = readdirSync(new URL('.', import.meta.url), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({
    name: name.replaceAll('\\', '/'),
    text: readFileSync(new URL(name, import.meta.url), 'utf8'),
  }));

const MARKS = /\/(_whole|_programs)\.ts'/;
/** Starts a program by its name, except those that the README asks for. */
const PROGRAMS = /\b(?:spawn|execFile)(?:Sync)?\('(?!npm'|node')/;

// vitest.config.ts looks for these imports in test files only, not in what these import.
test('test files import _whole.ts and _programs.ts directly', () => {
  const found = files.filter(({ text }) => MARKS.test(text));
  expect(found.filter(({ name }) => name.endsWith('.test.ts')).length).toBeGreaterThan(20);
  expect(found.map(({ name }) => name).filter((name) => /(?:^|\/)_/.test(name))).toEqual([]);
});

test('test files that start other programs import _programs.ts', () => {
  const found = files.filter(({ name, text }) => name.endsWith('.test.ts') && PROGRAMS.test(text));
  expect(found.length).toBeGreaterThan(2);
  const without = found.filter(({ text }) => !text.includes("/_programs.ts'"));
  expect(without.map(({ name }) => name)).toEqual([]);
});
