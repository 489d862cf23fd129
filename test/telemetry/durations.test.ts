import { describe, expect, test } from 'vitest';
import {
  addDuration,
  addNumbers,
  BOUNDS,
  noDurations,
  quantile,
} from '../../src/telemetry/durations.ts';

/** The index of the bucket that counts it. */
function bucketOf(seconds: number): number {
  const durations = noDurations();
  addDuration(durations, seconds);
  expect(durations.counts.reduce((sum, count) => sum + count)).toBe(1);
  return durations.counts.indexOf(1);
}

describe('buckets', () => {
  test.each(BOUNDS.map((bound, at) => [bound, at]))(
    '%d s is in the bucket it bounds',
    (bound, at) => {
      expect(bucketOf(bound)).toBe(at);
      expect(bucketOf(bound * 1.0001)).toBe(at + 1);
    },
  );

  test('no time and hours', () => {
    expect(bucketOf(0)).toBe(0);
    expect(bucketOf(7200)).toBe(BOUNDS.length);
  });

  test('the bounds ascend', () => {
    expect([...BOUNDS].toSorted((a, b) => a - b)).toEqual(BOUNDS);
  });
});

test('what was added to another one is the difference', () => {
  const [sum, more] = [noDurations(), noDurations()];
  addDuration(sum, 0.25);
  addDuration(more, 0.5);
  addDuration(more, 100);
  const before = { ...sum, counts: [...sum.counts] };
  addNumbers(sum, more);
  expect(sum.sum_us).toBe(100_750_000);
  const difference = noDurations();
  addNumbers(difference, sum, before);
  expect(difference).toEqual(more);
});

test.each([
  ['none', [], 0.5, 0],
  ['one, at the middle of its bucket', [0.02], 0.5, 0.0175],
  ['the smallest', [0.0001, 0.0001], 0.5, 0.00025],
  ['the smallest of several', [0.02, 0.2, 0.2, 2], 0.25, 0.025],
  ['the largest', [0.02, 2], 1, 2.5],
  ['above all bounds', [100], 0.99, 60],
])('a quantile of %s', (_, seconds, share, expected) => {
  const durations = noDurations();
  for (const each of seconds) addDuration(durations, each);
  expect(quantile(durations, share)).toBeCloseTo(expected, 9);
});
