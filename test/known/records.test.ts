import { expect, test } from 'vitest';
import type { Outcome } from '../../src/check/check.ts';
import { counts, productTable } from './_matrix.ts';
import { knownProxies } from './_proxies.ts';
import { compare, recorded, recordFrom, verdictsOf, type Verdicts } from './_records.ts';

function verdicts(outcomes: Readonly<Record<string, Outcome>>): Verdicts {
  const checks = Object.entries(outcomes).map(([id, outcome]) => [id, ['', outcome]]);
  return verdictsOf(JSON.stringify({ checks: Object.fromEntries(checks) }));
}

test('a verdict that is another has turned', () => {
  const old = verdicts({ 'hop/te': 'pass', 'idle/stale-get': 'pass', 'target/plain': 'pass' });
  const found = verdicts({ 'hop/te': 'fail', 'idle/stale-get': 'fail', 'target/plain': 'pass' });
  expect(compare(old, found)).toEqual({
    turned: ['h2 hop/te: pass → fail', 'h2 idle/stale-get: pass → fail'],
    unmatched: [],
  });
});

test('a verdict that depends on chance has not turned', () => {
  const old = verdicts({ 'truncation/request': 'not-applicable' });
  const found = verdicts({ 'truncation/request': 'fail' });
  expect(compare(old, found).turned).toEqual([]);
});

test('a check that only one report has is named', () => {
  const found = verdicts({ 'hop/te': 'pass' });
  expect(compare(verdicts({}), found).unmatched).toEqual(['h2 hop/te']);
});

test('a record has the date of its run', () => {
  const report = { started_at: '2026-11-29T23:59:59.999Z', facts: { origin_protocol: 'h2' } };
  const checks = { 'hop/te': 'pass' };
  expect(recordFrom('1.2.3', JSON.stringify({ ...report, checks }))).toEqual({
    version: '1.2.3',
    recorded: '2026-11-29',
    origin: 'h2',
    checks,
  });
});

test('a record has no ports, which are others in each run', () => {
  const found = 'the origin receives 127.0.0.1:45635 for proxy.example:38651';
  const report = {
    started_at: '2026-11-29T00:00:00.000Z',
    facts: { origin_protocol: 'h2' },
    checks: { 'host/port': `differs: ${found}` },
  };
  expect(recordFrom('1.2.3', JSON.stringify(report)).checks).toEqual({
    'host/port': 'differs: the origin receives 127.0.0.1:PORT for proxy.example:PORT',
  });
});

test('each record has a date, and is on the page', () => {
  const records = knownProxies.map((proxy) => recorded(proxy));
  expect(records.map((record) => record?.recorded)).toEqual(
    records.map(() => expect.stringMatching(/^20\d\d-[01]\d-[0-3]\d$/)),
  );
  const [, rows] = productTable(knownProxies);
  expect(rows.map(([, , date]) => date)).toEqual(records.map((record) => record?.recorded));
});

test('outcomes are counted', () => {
  const hop = { 'hop/te': 'fail', 'hop/via-request': 'pass', 'hop/keep-alive': 'pass' } as const;
  const found = verdicts({ ...hop, 'host/hop': 'differs' });
  expect(counts(found)).toBe('2✓ 1✗ 1≠');
});
