import { describe, expect, test } from 'vitest';
import {
  median,
  pairedDifference,
  pairedRatio,
  quantile,
  type Pair,
} from '../../src/bench/ratio.ts';

const pairsOf = (target: readonly number[], direct: readonly number[]): Pair[] =>
  target.map((value, round) => ({ round, target: value, direct: direct[round] ?? Number.NaN }));

test('quantiles are interpolated', () => {
  expect(quantile([4, 1, 3, 2], 0.25)).toBe(1.75);
  expect(quantile([7], 0.75)).toBe(7);
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
  expect(median([])).toBeNaN();
});

test('the ratio is the median of the pairs', () => {
  const ratio = pairedRatio(pairsOf([10, 20, 30, 40, 50], [100, 100, 100, 100, 100]));
  expect(ratio?.median).toBeCloseTo(0.3, 9);
});

test('a side that has done nothing has no ratio', () => {
  expect(pairedRatio(pairsOf([1, 0], [0, 1]))).toBeUndefined();
  expect(pairedRatio([])).toBeUndefined();
});

test('the interval is that of Student', () => {
  // Of 1, 2 and 3: the standard error is 1 / sqrt(3), and t of 99 % and 2 degrees of freedom is 9.925.
  const found = pairedDifference(pairsOf([1, 2, 3], [0, 0, 0]));
  expect(found?.median).toBe(2);
  expect(found?.high).toBeCloseTo(2 + 9.925 / Math.sqrt(3), 2);
  expect(found?.low).toBeCloseTo(2 - 9.925 / Math.sqrt(3), 2);
});

test('what differs between two loads of the same side widens it', () => {
  // The pairs agree, but from the end of each to the beginning of the next, a side has moved by 10.
  const found = pairedDifference(pairsOf([1, 11, 21, 31], [0, 10, 20, 30]));
  expect(found?.median).toBe(1);
  expect(found?.low).toBeLessThan(1 - (5.841 * 9.9) / 2);
  const apart = [0, 2, 4, 6].map((round) => ({ round, target: round + 1, direct: round }));
  // Rounds that are not next to one another tell nothing of it.
  expect(pairedDifference(apart)?.low).toBeCloseTo(0.98, 9);
});

test('less than 2 % or 0.02 ms is not claimed, however well the rounds agree', () => {
  const ratio = pairedRatio(pairsOf([101, 101, 101], [100, 100, 100]));
  expect(ratio?.low).toBeLessThan(1);
  const clear = pairedRatio(pairsOf([97, 97, 97], [100, 100, 100]));
  expect(clear?.high).toBeLessThan(1);
  expect(pairedDifference(pairsOf([1.01, 1.01], [1, 1]))?.low).toBeLessThan(0);
});

test('a single pair has no interval', () => {
  expect(pairedRatio(pairsOf([1], [2]))).toEqual({ median: 0.5, low: 0, high: Infinity });
});

/** Numbers from 0 to 1 that look random, and are the same in each run. */
function numbers(): () => number {
  let state = 1;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

describe('with nothing between', () => {
  const noises: Record<string, (random: () => number) => () => number> = {
    independent: (random) => () => random() + random() + random() + random(),
    'with outliers': (random) => () => random() + (random() < 0.15 ? 8 * random() : 0),
    drifting: (random) => {
      let sum = 0;
      return () => (sum += 0.3 + random() - 0.5);
    },
    stepping: (random) => {
      let level = 0;
      return () => {
        if (random() < 0.1) level = 10 * random();
        return level + random();
      };
    },
  };

  test.each(Object.keys(noises))(
    'a difference is claimed in less than 1 %% of runs: %s',
    (name) => {
      const random = numbers();
      let claims = 0;
      for (const rounds of [5, 10]) {
        for (let run = 0; run < 1000; run++) {
          const next = noises[name]?.(random) ?? random;
          const pairs = Array.from({ length: rounds }, (_, round) => {
            const [first, second] = [next(), next()];
            return round % 2 === 0
              ? { round, target: first, direct: second }
              : { round, target: second, direct: first };
          });
          const { low = 1, high = -1 } = pairedDifference(pairs) ?? {};
          if (low > 0 || high < 0) claims++;
        }
      }
      expect(claims).toBeLessThan(20);
    },
  );
});
