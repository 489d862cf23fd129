import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { hasDictionary, useAsDictionary } from '../../src/http/compression-dictionary.ts';

test.each([
  [{ match: '/a*', matchDestinations: [], id: 'b' }, 'match="/a*", id="b"'],
  [
    { match: '"', matchDestinations: ['document', 'script'], id: '' },
    String.raw`match="\"", match-dest=("document" "script"), id=""`,
  ],
])('RFC 9842 2.1: %j', (use, value) => {
  expect(useAsDictionary(use)).toBe(value);
});

test('RFC 9651 3.3.3: a pattern that is no string of a structured field', () => {
  expect(() => useAsDictionary({ match: 'é', matchDestinations: [], id: 'a' })).toThrow(RangeError);
});

const HASH = createHash('sha256').update('a').digest();
const BASE64 = HASH.toString('base64');

test.each<[fields: readonly string[], isAvailable: boolean]>([
  [['Available-Dictionary', `:${BASE64}:`], true],
  [['available-dictionary', ` :${BASE64}:;a`], true],
  [['Available-Dictionary', `:${BASE64}:`, 'Dictionary-ID', '"a"'], true],
  [['Available-Dictionary', `:${BASE64}:`, 'Dictionary-ID', '"b"'], false],
  [['Available-Dictionary', `:${BASE64}:`, 'Dictionary-ID', 'a'], false],
  [['Available-Dictionary', `:${BASE64}:`, 'Dictionary-ID', ''], false],
  [['Available-Dictionary', `:${BASE64}`], false],
  [['Available-Dictionary', BASE64], false],
  [['Available-Dictionary', `"${BASE64}"`], false],
  [['Available-Dictionary', `:${HASH.subarray(1).toString('base64')}:`], false],
  [['Available-Dictionary', `:${BASE64}:`, 'Available-Dictionary', `:${BASE64}:`], false],
  [['Available-Dictionary', ''], false],
  [['Dictionary-ID', '"a"'], false],
  [[], false],
])('RFC 9842 2.2, 2.3: %j: %s', (fields, isAvailable) => {
  expect(hasDictionary(fields, HASH, 'a')).toBe(isAvailable);
});
