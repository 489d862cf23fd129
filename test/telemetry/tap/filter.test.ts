import { expect, test } from 'vitest';
import { matchesFilter, pathAndQuery } from '../../../src/telemetry/tap/filter.ts';
import { openedRecord, requestRecord } from '../../../src/telemetry/tap/record.ts';
import { FakeExchange } from '../../_exchange.ts';

const ALL = { path: undefined, connection: undefined, kinds: undefined };

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
