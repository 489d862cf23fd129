import { expect, test } from 'vitest';
import type { Outcome } from '../../src/check/check.ts';
import { knownProxies } from './_proxies.ts';
import { compare, recorded, verdictsOf, type Verdicts } from './_records.ts';

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
  const old = verdicts({ 'idle/stale-get': 'not-applicable', 'idle/front': 'pass' });
  const found = verdicts({ 'idle/stale-get': 'differs', 'idle/front': 'differs' });
  expect(compare(old, found).turned).toEqual([]);
});

test('a check that only one report has is named', () => {
  const found = verdicts({ 'hop/te': 'pass' });
  expect(compare(verdicts({}), found).unmatched).toEqual(['h2 hop/te']);
});

/** Requests that were once taken for refused by the proxy: it forwards them, and the origin refuses them. */
const forwarded: Readonly<Record<string, readonly string[]>> = {
  'haproxy-h1-2.6': ['http/1.1 framing/nul', 'http/1.1 host/missing', 'http/1.1 host/malformed'],
  'haproxy-h2-2.6': ['http/1.1 framing/nul', 'http/1.1 host/missing', 'http/1.1 host/malformed'],
  h2o: ['h2 h2/method-space', 'h2 h2/path-space', 'h2 h2/name-empty', 'http/1.1 framing/obs-fold'],
  envoy: ['http/1.1 host/repeated'],
  varnish: ['http/1.1 host/malformed'],
};

test.each(knownProxies.filter(({ name }) => name in forwarded))(
  '$name: what only the origin has refused is recorded as a finding',
  (proxy) => {
    const outcomes = recorded(proxy)?.outcomes;
    for (const key of forwarded[proxy.name] ?? [])
      expect([key, outcomes?.get(key)]).toEqual([key, 'fail']);
  },
);
