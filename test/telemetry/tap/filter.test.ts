import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matches, partsOf } from '../../../src/telemetry/tap/filter.ts';
import { openedRecord, requestRecord } from '../../../src/telemetry/tap/record.ts';
import { fits } from '../../../src/telemetry/tap/filter.ts';
import { FakeExchange } from '../../_exchange.ts';

const ALL = { path: undefined, connection: undefined, kinds: undefined };

describe('a pattern', () => {
  test.each([
    ['/get', '/get', true],
    ['/get/', '/get', false],
    ['/get', '/get*', true],
    ['/getting', '/get*', true],
    ['/', '*', true],
    ['', '*', true],
    ['', '', true],
    ['/a', '', false],
    ['/bytes/10', '/bytes/*', true],
    ['/bytes', '/bytes/*', false],
    ['/a/b/c', '/a/*/c', true],
    ['/a/c', '/a/*/c', false],
    ['/aba', '/ab*ba', false],
    ['/abba', '/ab*ba', true],
    ['/x/healthz', '*health*', true],
    ['/a.b', '/a?b', false],
    ['/a+b', '/a+b', true],
  ])('%s by %s: %s', (path, pattern, fit) => {
    expect(matches(path, pattern)).toBe(fit);
  });

  test('fits what a regular expression of the same meaning fits', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 12 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*'), maxLength: 8 });
    fc.assert(
      fc.property(text, pattern, (path, glob) => {
        const expression = new RegExp(`^${glob.replaceAll('*', '.*')}$`);
        expect(matches(path, glob)).toBe(expression.test(path));
      }),
    );
  });
});

test('what has no path fits no pattern', () => {
  const { connection } = new FakeExchange('/get');
  const opened = openedRecord(connection);
  expect(fits(opened, ALL)).toBe(true);
  expect(fits(opened, { ...ALL, path: '*' })).toBe(false);
  expect(fits(opened, { ...ALL, kinds: ['closed', 'opened'] })).toBe(true);
  expect(fits(opened, { ...ALL, kinds: ['closed'] })).toBe(false);
  expect(fits(opened, { ...ALL, connection: connection.id })).toBe(true);
  expect(fits(opened, { ...ALL, connection: `${connection.id}0` })).toBe(false);
});

test.each([
  ['GET', '/a%20b?c=d', '/a%20b', 'c=d'],
  ['GET', 'http://x/p?q', '/p', 'q'],
  ['OPTIONS', '*', '*', ''],
  ['CONNECT', 'host:443', '', ''],
  ['GET', '/p?secret#fragment', '/p', 'secret#fragment'],
  ['GET', 'nonsense?secret?x', 'nonsense', 'secret?x'],
])('%s %s has the path %s', (method, target, path, query) => {
  const record = requestRecord(new FakeExchange(target, { method }), true, true);
  if (record.kind !== 'request') throw new Error('it is no request');
  expect(partsOf(record)).toMatchObject({ path, query });
});
