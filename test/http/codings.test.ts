import { expect, test } from 'vitest';
import { codings, encoderFor, negotiateCoding } from '../../src/http/codings.ts';

test('supported codings in order of preference, zstd depending on the Node version', () => {
  expect(codings.filter((coding) => coding !== 'zstd')).toEqual(['br', 'gzip', 'deflate']);
  expect(codings.includes('zstd')).toBe(encoderFor('zstd') !== undefined);
});

test.each([
  [undefined, 'identity'],
  ['', 'identity'],
  [' , ', 'identity'],
  ['gzip', 'gzip'],
  ['GZip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['gzip, br', 'br'],
  ['gzip;q=1.0, br;q=0.999', 'gzip'],
  ['gzip ; Q=0.5 , br; q=0.1', 'gzip'],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['gzip;q=0.2, *;q=0.1', 'gzip'],
  ['*;q=0', undefined],
  ['*;q=0, identity', 'identity'],
  ['*;q=0, gzip;q=0.001', 'gzip'],
  ['identity;q=0', undefined],
  ['identity;q=0.0, gzip', 'gzip'],
  ['identity, gzip', 'gzip'],
  ['identity, gzip;q=0.9', 'identity'],
  ['identity;q=0.1, gzip;q=0.9', 'gzip'],
  ['compress', 'identity'],
  ['gzip;q=0', 'identity'],
  ['gzip;q=2', 'identity'],
  ['gzip;q=0.1234', 'identity'],
  ['gzip;level=9', 'identity'],
  ['gzip br', 'identity'],
  ['gzip;q=2, br;q=0.1', 'br'],
])('RFC 9110 12.5.3: of br and gzip, Accept-Encoding: %s chooses %s', (field, coding) => {
  expect(negotiateCoding(field, ['br', 'gzip'])).toBe(coding);
});
