import { describe, expect, it, test } from 'vitest';
import { find, findWithRepeats, judge } from '../../bench/judging.ts';
import { pairsOf, type Pairs } from '../../bench/measure.ts';
import { medianInterval } from '../../src/bench/ratio.ts';

const pairs = (ratios: readonly number[]) =>
  ratios.map((target, round) => ({ round, target, direct: 1 }));

/** So many pairs, all alike. */
function alike(count: number, economy: number | undefined, speed: number): Pairs {
  const of = (value: number) => pairs(Array.from({ length: count }, () => value));
  return { speed: of(speed), economy: economy === undefined ? undefined : of(economy) };
}

/** A measurement that finds these, one after the other, and the counts of pairs asked of it. */
function measuring(...results: (number | readonly number[])[]): {
  readonly asked: number[];
  readonly measure: (pairs: number) => Promise<Pairs>;
} {
  const asked: number[] = [];
  const all: number[] = [];
  return {
    asked,
    measure(count) {
      asked.push(count);
      const found = results[asked.length - 1] ?? Number.NaN;
      all.push(...(typeof found === 'number' ? Array.from({ length: count }, () => found) : found));
      return Promise.resolve({ ...alike(all.length, undefined, 1), economy: pairs(all) });
    },
  };
}

const SCATTERED = [0.7, 0.7, 0.7, 0.7, 0.7, 1, 1, 1, 1, 1];

describe('find', () => {
  it('fails what costs too much, though the load was too slow to show it', () => {
    expect(find(alike(5, 0.7, 1), 0.9).verdict).toBe('failed');
  });

  it('fails what waits, though waiting costs nothing', () => {
    expect(find(alike(5, 1, 0.3), 0.9).verdict).toBe('failed');
  });

  it('passes a speed that the machine has disturbed, when the cost is right', () => {
    expect(find(alike(5, 0.95, 0.6), 0.9).verdict).toBe('passed');
  });

  it('holds the speed against the whole floor where the cost is unknown', () => {
    expect(find(alike(5, undefined, 0.95), 0.9).verdict).toBe('passed');
    expect(find(alike(5, undefined, 0.6), 0.9).verdict).toBe('failed');
  });
});

describe('findWithRepeats', () => {
  it('measures once what passes', async () => {
    const { asked, measure } = measuring(1);
    expect(await findWithRepeats(measure, 0.9, 5)).toMatchObject({ verdict: 'passed' });
    expect(asked).toEqual([5]);
  });

  it('measures again, with more pairs, until the interval decides', async () => {
    const { asked, measure } = measuring([0.5, 0.95, 1, 1, 1], 1);
    expect(await findWithRepeats(measure, 0.9, 5)).toMatchObject({ verdict: 'passed' });
    expect(asked).toEqual([5, 10]);
  });

  it('believes no failure of the first pairs', async () => {
    const { asked, measure } = measuring(0.5, 1, 1);
    expect(await findWithRepeats(measure, 0.9, 5)).toMatchObject({ verdict: 'passed' });
    expect(asked).toEqual([5, 10, 10]);
  });

  it('believes what fails again', async () => {
    const { asked, measure } = measuring(0.5, 0.6);
    const found = await findWithRepeats(measure, 0.9, 5);
    expect(found.verdict).toBe('failed');
    expect(asked).toEqual([5, 10]);
    expect(found.economy?.ratio).toBeCloseTo(0.6);
  });

  it('fails what only more pairs show to be below', async () => {
    const { asked, measure } = measuring(0.8, SCATTERED, 0.8);
    expect(await findWithRepeats(measure, 0.9, 5)).toMatchObject({ verdict: 'failed' });
    expect(asked).toEqual([5, 10, 10]);
  });

  it('leaves undecided what all pairs do not decide', async () => {
    const { asked, measure } = measuring(SCATTERED.slice(3, 8), SCATTERED, SCATTERED);
    expect(await findWithRepeats(measure, 0.9, 5)).toMatchObject({ verdict: 'undecided' });
    expect(asked).toEqual([5, 10, 10]);
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
    expect(medianInterval(ranks, 0.9)).toEqual([low, high]);
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

const samples = (...costs: (number | undefined)[]) =>
  costs.map((cpuPerRequest, at) => ({ requestsPerSecond: (at + 1) * 100, cpuPerRequest }));

it('takes pairs of what each round has of both', () => {
  expect(pairsOf(samples(0.5, 0.25), samples(0.25, 0.5)).economy).toEqual([
    { round: 0, target: 2, direct: 4 },
    { round: 1, target: 4, direct: 2 },
  ]);
  const { speed, economy } = pairsOf(samples(1, undefined), samples(1));
  expect(speed).toEqual([{ round: 0, target: 100, direct: 100 }]);
  expect(economy).toBeUndefined();
});
