import { expect, test } from 'vitest';
import { parseJson } from '../../src/http/json-content.ts';

test.each([
  ['{"a":[1,"]"]}', { a: [1, ']'] }],
  ['"text"', 'text'],
  ['0', 0],
  ['null', null],
  ['', null],
  ['{', null],
  ["{'a':1}", null],
])('%j', (text, value) => {
  expect(parseJson(text)).toEqual(value);
});

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

test('JSON that needs more than 8 MiB of indentation is rejected', () => {
  // Two spaces per level, on the line of each opening and closing bracket.
  const most = Math.sqrt((8 * 1024 ** 2) / 2);
  const isNone = [most, most + 1, 100_000].map((depth) => parseJson(nested(depth)) === null);
  expect(isNone).toEqual([false, true, true]);
});

test('brackets in strings do not count as nesting, also after escaped quotation marks', () => {
  const text = JSON.stringify([nested(5000), '\\"', nested(5000)]);
  expect(parseJson(text)).toEqual([nested(5000), '\\"', nested(5000)]);
});
