import { expect, test } from 'vitest';
import { fieldNames, fieldStatus } from '../../src/http/field-names.ts';

test('the table has each name of the registry once', () => {
  const names = Object.keys(fieldNames);
  expect(names).toHaveLength(259);
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(259);
});

test.each([
  ['Accept', 'permanent'],
  ['sec-gpc', 'provisional'],
  ['PRAGMA', 'deprecated'],
  ['Content-MD5', 'obsoleted'],
  ['Sec-CH-UA', undefined],
  ['', undefined],
])('the status of %j is %s', (name, status) => {
  expect(fieldStatus(name)).toBe(status);
});
