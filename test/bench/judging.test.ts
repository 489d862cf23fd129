import { describe, expect, it } from 'vitest';
import { find, findWithRepeats } from '../../bench/judging.ts';
import type { Ratios } from '../../bench/measure.ts';

/** So many pairs, all alike. */
function alike(count: number, economy: number | undefined, speed: number): Ratios {
  const of = (value: number): number[] => Array.from({ length: count }, () => value);
  return { speed: of(speed), economy: economy === undefined ? undefined : of(economy) };
}

/** A measurement that finds these, one after the other, and the counts of pairs asked of it. */
function measuring(...results: (number | readonly number[])[]): {
  readonly asked: number[];
  readonly measure: (pairs: number) => Promise<Ratios>;
} {
  const asked: number[] = [];
  return {
    asked,
    measure(pairs) {
      asked.push(pairs);
      const found = results[asked.length - 1] ?? Number.NaN;
      const economy = typeof found === 'number' ? alike(pairs, found, 1).economy : found;
      return Promise.resolve({ ...alike(pairs, undefined, 1), economy });
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
