import { expect, test } from 'vitest';
import { goFieldName, goHeader, goHost, valuesByName } from '../../src/dialects/go-fields.ts';

test.each([
  ['x-request-id', 'X-Request-Id'],
  ['ACCEPT', 'Accept'],
  ['a-1b--c', 'A-1b--C'],
  ['not a token', 'not a token'],
])('Go writes %s as %s', (name, written) => {
  expect(goFieldName(name)).toBe(written);
});

test('http.Header has no Host, and Cookie lines are joined (RFC 9113 8.2.3)', () => {
  const fields = [':path', '/', 'x-b', '1', 'Host', 'h', 'cookie', 'a=1', 'X-B', '2'];
  const header = goHeader([...fields, 'trailer', 'x', 'transfer-encoding', 'y', 'cookie', 'b=2']);
  expect(Object.entries(header)).toEqual([
    ['Cookie', ['a=1; b=2']],
    ['X-B', ['1', '2']],
  ]);
});

test('the host is the authority of the target, or else the field', () => {
  expect(goHost('target', [':authority', 'a', 'Host', 'h'])).toBe('target');
  expect(goHost(undefined, ['Host', 'h', ':authority', 'a'])).toBe('a');
  expect(goHost(undefined, ['Host', 'h'])).toBe('h');
  expect(goHost(undefined, [])).toBe('');
});

test('keys are sorted by code unit, and none is special', () => {
  const values = valuesByName([
    ['b', '1'],
    ['__proto__', '2'],
    ['a', '3'],
    ['b', '4'],
    ['B', '5'],
  ]);
  expect(Object.entries(values)).toEqual([
    ['B', ['5']],
    ['__proto__', ['2']],
    ['a', ['3']],
    ['b', ['1', '4']],
  ]);
});
