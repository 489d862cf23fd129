import { describe, expect, test } from 'vitest';
import { randomNumbers } from '../../src/bench/bootstrap.ts';
import { differenceOf, median, quantile, ratioOf, type Samples } from '../../src/bench/ratio.ts';

const paired = (target: readonly number[], baseline: readonly number[]): Samples => ({
  target,
  baseline,
  isPaired: true,
});

test('quantiles are interpolated', () => {
  expect(quantile([4, 1, 3, 2], 0.25)).toBe(1.75);
  expect(quantile([7], 0.75)).toBe(7);
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
  expect(median([])).toBeNaN();
});

test('the ratio is the median of the pairs, and of unpaired samples the ratio of medians', () => {
  const samples = paired([10, 20, 60], [100, 50, 200]);
  expect(ratioOf(samples, 0.95)?.value).toBeCloseTo(0.3, 9);
  expect(ratioOf({ ...samples, isPaired: false }, 0.95)?.value).toBeCloseTo(0.2, 9);
});

const all = (value: number): number[] => Array.from({ length: 7 }, () => value);

test('rounds in which a side has done nothing count', () => {
  const stopped = paired([...all(0).slice(1), ...all(1000)], [...all(1000), ...all(1000).slice(1)]);
  expect(ratioOf(stopped, 0.95)).toEqual({ value: 1, low: 0, high: 1 });
  expect(ratioOf(paired(all(0), all(5)), 0.95)).toEqual({ value: 0, low: 0, high: 0 });
  expect(ratioOf(paired(all(5), all(0)), 0.95)).toMatchObject({ value: Infinity, low: Infinity });
  expect(ratioOf({ ...paired(all(0), all(5)), isPaired: false }, 0.95)?.high).toBe(0);
});

test('where both sides have done nothing, they have no ratio', () => {
  expect(ratioOf(paired([0, 0], [0, 0]), 0.95)).toBeUndefined();
  expect(ratioOf(paired([], []), 0.95)).toBeUndefined();
  expect(ratioOf(paired([1, 0, 4], [1, 0, 1]), 0.95)?.value).toBeCloseTo(2, 9);
  expect(ratioOf(paired([1, 0], [0, 1]), 0.95)).toBeUndefined();
});

/** Whether the interval of so many rounds has ends. */
function isBounded(count: number, confidence: number): boolean {
  const values = Array.from({ length: count }, (_, at) => at + 1);
  const { high = 0 } = ratioOf(paired(values, values), confidence) ?? {};
  return Number.isFinite(high);
}

test('few rounds have no bounds, since all may be on one side of the median by chance', () => {
  expect([isBounded(1, 0.95), isBounded(5, 0.95), isBounded(6, 0.95)]).toEqual([
    false,
    false,
    true,
  ]);
  expect([isBounded(9, 0.998), isBounded(10, 0.998)]).toEqual([false, true]);
});

test('what is certain is by order statistics', () => {
  const values = Array.from({ length: 20 }, (_, at) => at + 1);
  const zeros = values.map(() => 0);
  // The binomial distribution: three or less of 20 are on one side in 0.13 % of all cases, four in 0.59 %.
  expect(differenceOf(paired(values, zeros), 0.998)).toEqual({ value: 10.5, low: 3, high: 18 });
  const unpaired = { target: values, baseline: values, isPaired: false };
  expect(differenceOf(unpaired, 0.998)).toEqual({ value: 0, low: -15, high: 15 });
});

test('the same samples have the same interval', () => {
  const random = randomNumbers(3);
  const samples = paired(Array.from({ length: 20 }, random), Array.from({ length: 20 }, random));
  expect(differenceOf(samples, 0.95)).toEqual(differenceOf(samples, 0.95));
});

const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** Distributions whose median is 0. */
const distributions: Record<string, (random: () => number) => number> = {
  normal,
  'skewed (log-normal)': (random) => Math.exp(normal(random)) - 1,
  'heavy-tailed (Cauchy)': (random) => Math.tan(Math.PI * (random() - 0.5)),
};

/** Share of intervals that hold the true median, which is 0. */
function coverage(samplesOf: () => Samples): number {
  const RUNS = 400;
  let held = 0;
  for (let run = 0; run < RUNS; run++) {
    const { low = 1, high = -1 } = differenceOf(samplesOf(), 0.95) ?? {};
    if (low <= 0 && high >= 0) held++;
  }
  return held / RUNS;
}

describe.each(Object.keys(distributions))('of what is %s', (name) => {
  const random = randomNumbers(11);
  const draw = (): number => distributions[name]?.(random) ?? Number.NaN;
  const drawn = (count: number): number[] => Array.from({ length: count }, draw);

  test.each([10, 30])('of %i rounds, 95 of 100 intervals hold the truth', (count) => {
    const zeros = Array.from({ length: count }, () => 0);
    const held = coverage(() => paired(drawn(count), zeros));
    expect(held).toBeGreaterThan(0.92);
    expect(held).toBeLessThan(0.98);
  });

  test('those of unpaired samples hold it, too', () => {
    const held = coverage(() => ({ target: drawn(15), baseline: drawn(10), isPaired: false }));
    expect(held).toBeGreaterThan(0.92);
  });
});

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
    'a difference is certain in less than one run of a hundred: %s',
    (name) => {
      const random = randomNumbers(5);
      let claims = 0;
      for (const rounds of [5, 10, 20]) {
        for (let run = 0; run < 300; run++) {
          const next = noises[name]?.(random) ?? random;
          const [target, baseline]: [number[], number[]] = [[], []];
          for (let round = 0; round < rounds; round++) {
            for (const side of round % 2 === 0 ? [target, baseline] : [baseline, target]) {
              side.push(next());
            }
          }
          const { low = 1, high = -1 } = differenceOf(paired(target, baseline), 0.998) ?? {};
          if (low > 0 || high < 0) claims++;
        }
      }
      expect(claims).toBeLessThan(9);
    },
  );
});
