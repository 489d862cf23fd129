import { describe, expect, it, test } from 'vitest';
import { judge, median, medianInterval, pairRatios, quantile } from '../../bench/statistics.ts';

test.each([
  [[3, 1, 2], 2],
  [[4, 1, 3, 2], 2.5],
  [[7], 7],
])('the median of %j is %d', (values, expected) => {
  expect(median(values)).toBe(expected);
});

it('has no median of nothing', () => {
  expect(median([])).toBeNaN();
});

test.each([
  [0.5, 50],
  [0.99, 99],
  [1, 100],
  [0, 1],
])('the %d quantile of 1 to 100 is %d', (q, expected) => {
  const values = Array.from({ length: 100 }, (_, at) => 100 - at);
  expect(quantile(values, q)).toBe(expected);
});

describe('pairRatios', () => {
  it('divides each by its own baseline, so that a slow moment cancels out', () => {
    expect(pairRatios([100, 10, 50], [200, 20, 100])).toEqual([0.5, 0.5, 0.5]);
  });

  it('takes no unequal counts', () => {
    expect(() => pairRatios([1], [1, 2])).toThrow(RangeError);
  });
});

describe('medianInterval', () => {
  // The ranks of the 90 % interval as tables of the sign test give them.
  test.each([
    [3, 1, 3],
    [5, 1, 5],
    [8, 2, 7],
    [11, 3, 9],
    [15, 4, 12],
    [20, 6, 15],
  ])('of %d values goes from rank %d to rank %d', (count, low, high) => {
    const ranks = Array.from({ length: count }, (_, at) => at + 1);
    expect(medianInterval(ranks)).toEqual([low, high]);
  });

  // As the binomial distribution gives them.
  test.each([
    [8, 1, 8],
    [15, 3, 13],
    [25, 7, 19],
    [35, 11, 25],
  ])('of %d values with 98 %% goes from rank %d to rank %d', (count, low, high) => {
    const ranks = Array.from({ length: count }, (_, at) => at + 1);
    expect(medianInterval(ranks, 0.98)).toEqual([low, high]);
  });
});

test.each([
  ['at the floor', [0.9, 0.9, 0.9, 0.9, 0.9], 'passed'],
  ['above, every pair of them', [0.92, 1, 1.02, 0.98, 1.01], 'passed'],
  ['above, with one bad moment', [1, 1.02, 0.2, 0.98, 1.01], 'undecided'],
  ['a little below, the interval reaching up to it', [0.87, 0.88, 0.89, 0.91, 0.86], 'undecided'],
  ['a little below, every pair of them', [0.87, 0.88, 0.88, 0.89, 0.86], 'failed'],
  ['far below, though the pairs scatter', [0.5, 0.7, 0.8, 0.95, 1.1], 'undecided'],
  ['without a figure', [Number.NaN, Number.NaN], 'failed'],
])('a ratio %s', (_, ratios, verdict) => {
  expect(judge(ratios, 0.9).verdict).toBe(verdict);
});
