import { expect, test } from 'vitest';
import { parseHttpDate } from '../../src/http/date.ts';

const SINCE = Date.UTC(1994, 10, 6, 8, 49, 37);

test.each([
  ['Sun, 06 Nov 1994 08:49:37 GMT', SINCE],
  ['Sunday, 06-Nov-94 08:49:37 GMT', SINCE],
  ['Sun Nov  6 08:49:37 1994', SINCE],
  ['Sun Nov 16 08:49:37 1994', SINCE + 10 * 86_400_000],
  ['Thu, 29 Feb 2024 23:59:59 GMT', Date.UTC(2024, 1, 29, 23, 59, 59)],
  ['Sat, 31 Dec 2016 23:59:60 GMT', Date.UTC(2017, 0, 1)],
])('RFC 9110 5.6.7: %s is an HTTP-date', (text, time) => {
  expect(parseHttpDate(text)).toBe(time);
});

test('RFC 9110 5.6.7: a two-digit year is never more than 50 years in the future', () => {
  const thisYear = new Date().getUTCFullYear();
  for (const ahead of [0, 50, 51, 99]) {
    const digits = String((thisYear + ahead) % 100).padStart(2, '0');
    const read = new Date(parseHttpDate(`Monday, 10-Jun-${digits} 00:00:00 GMT`) ?? 0);
    expect(read.getUTCFullYear()).toBe(ahead > 50 ? thisYear + ahead - 100 : thisYear + ahead);
  }
});

test.each([
  '',
  '0',
  'yesterday',
  '1994-11-06T08:49:37Z',
  'sun, 06 nov 1994 08:49:37 gmt',
  'Sun, 6 Nov 1994 08:49:37 GMT',
  'Sun, 06 Nov 1994 08:49:37 UTC',
  'Sun, 06 Nov 1994 08:49:37 +0000',
  'Sun, 06 Nov 1994 24:00:00 GMT',
  'Sun, 06 Nov 1994 08:60:00 GMT',
  'Wed, 30 Feb 2024 00:00:00 GMT',
  'Sun, 00 Nov 1994 08:49:37 GMT',
  ' Sun, 06 Nov 1994 08:49:37 GMT',
  'Sun Nov 6 08:49:37 1994',
])('%j is not an HTTP-date', (text) => {
  expect(parseHttpDate(text)).toBeUndefined();
});
