import { expect, test } from 'vitest';
import { median, pairedRatio, quantile } from '../../src/bench/ratio.ts';

test('quantiles are interpolated', () => {
  expect(quantile([4, 1, 3, 2], 0.25)).toBe(1.75);
  expect(quantile([7], 0.75)).toBe(7);
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
  expect(median([])).toBeNaN();
});

test('what disturbs a pair cancels out', () => {
  expect(pairedRatio([50, 5, 500], [100, 10, 1000])).toEqual({ median: 0.5, low: 0.5, high: 0.5 });
  expect(pairedRatio([1, 2, 3, 4, 5], [10, 10, 10, 10, 10])).toEqual({
    median: 0.3,
    low: 0.2,
    high: 0.4,
  });
});

test('a value without a partner does not count', () => {
  expect(pairedRatio([1, 2], [2])?.median).toBe(0.5);
  expect(pairedRatio([1, 0], [0, 0])).toBeUndefined();
  expect(pairedRatio([], [])).toBeUndefined();
});
