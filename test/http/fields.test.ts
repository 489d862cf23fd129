import { describe, expect, test } from 'vitest';
import {
  fieldCount,
  fieldPairs,
  fieldValue,
  isFieldValue,
  isToken,
  combinedFields,
} from '../../src/http/fields.ts';

const lines = [
  ':method',
  'GET',
  'Host',
  'a',
  'X-Twice',
  'one',
  'COOKIE',
  'a=1',
  'x-twice',
  '',
  'X-TWICE',
  'two, three',
  'cookie',
  'b=2',
  '__proto__',
  'x',
  'X-Empty',
  '',
];

test('pairs keep their order and case', () => {
  expect([...fieldPairs(lines)].slice(0, 3)).toEqual([
    [':method', 'GET'],
    ['Host', 'a'],
    ['X-Twice', 'one'],
  ]);
  expect([...fieldPairs([])]).toEqual([]);
});

describe('RFC 9110 5.2: field lines are combined into one value', () => {
  test.each<[name: string, value: string | undefined, count: number]>([
    ['host', 'a', 1],
    ['x-twice', 'one, , two, three', 3],
    // RFC 9113 8.2.3
    ['cookie', 'a=1; b=2', 2],
    ['x-empty', '', 1],
    [':method', 'GET', 1],
    ['__proto__', 'x', 1],
    ['x-none', undefined, 0],
    ['x-twic', undefined, 0],
    ['constructor', undefined, 0],
    ['', undefined, 0],
  ])('%s', (name, value, count) => {
    expect(fieldValue(lines, name)).toBe(value);
    expect(fieldCount(lines, name)).toBe(count);
  });

  test('a value that looks like a name is not counted', () => {
    expect(fieldValue(['a', 'b', 'c', 'a'], 'b')).toBeUndefined();
    expect(fieldValue(['a', 'b', 'c', 'a'], 'a')).toBe('b');
  });

  test('all fields, without pseudo-header fields', () => {
    expect(Object.entries(combinedFields(lines))).toEqual([
      ['host', 'a'],
      ['x-twice', 'one, , two, three'],
      ['cookie', 'a=1; b=2'],
      ['__proto__', 'x'],
      ['x-empty', ''],
    ]);
  });
});

test.each([
  ['a', true],
  ["!#$%&'*+-.^_`|~0aZ", true],
  ['', false],
  ['a b', false],
  ['a:', false],
  ['(a)', false],
  ['a\n', false],
  ['"a"', false],
  ['a/b', false],
  ['é', false],
  ['\0', false],
])('RFC 9110 5.6.2: %j is a token: %s', (text, is) => {
  expect(isToken(text)).toBe(is);
});

test.each([
  ['', true],
  ['a b\tc', true],
  ['\x80\xff', true],
  ['a\n', false],
  ['a\r\nb: c', false],
  ['\0', false],
  ['\x1b', false],
  ['\x7f', false],
  ['\u0100', false],
  ['€', false],
])('RFC 9110 5.5: %j can be sent as a field value: %s', (text, can) => {
  expect(isFieldValue(text)).toBe(can);
});
