import { describe, expect, test } from 'vitest';
import { fieldCount, fieldPairs, fieldValue, combinedFields } from '../../src/http/fields.ts';

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
