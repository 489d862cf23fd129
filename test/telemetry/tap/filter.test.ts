import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchesFilter, matchesPattern, pathAndQuery } from '../../../src/telemetry/tap/filter.ts';
import { openedRecord, requestRecord } from '../../../src/telemetry/tap/record.ts';
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
  ])('%s with %s: %s', (path, pattern, expected) => {
    expect(matchesPattern(path, pattern)).toBe(expected);
  });

  test('matches the same paths as the equivalent regular expression', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 12 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*'), maxLength: 8 });
    fc.assert(
      fc.property(text, pattern, (path, glob) => {
        const expression = new RegExp(`^${glob.replaceAll('*', '.*')}$`);
        expect(matchesPattern(path, glob)).toBe(expression.test(path));
      }),
    );
  });
});

test('an event without a path matches no pattern', () => {
  const { connection } = new FakeExchange('/get');
  const opened = openedRecord(connection);
  expect(matchesFilter(opened, ALL)).toBe(true);
  expect(matchesFilter(opened, { ...ALL, path: '*' })).toBe(false);
  expect(matchesFilter(opened, { ...ALL, kinds: ['closed', 'opened'] })).toBe(true);
  expect(matchesFilter(opened, { ...ALL, kinds: ['closed'] })).toBe(false);
  expect(matchesFilter(opened, { ...ALL, connection: connection.id })).toBe(true);
  expect(matchesFilter(opened, { ...ALL, connection: `${connection.id}0` })).toBe(false);
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
  if (record.kind !== 'request') throw new Error('not a request');
  expect(pathAndQuery(record)).toMatchObject({ path, query });
});
