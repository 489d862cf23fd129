import { expect, test } from 'vitest';
import type { Outcome } from '../../src/check/check.ts';
import { compare, verdictsOf, type Verdicts } from './_records.ts';

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
