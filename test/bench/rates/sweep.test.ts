import { expect, test } from 'vitest';
import type { Tried } from '../../../src/bench/rates/find.ts';
import {
  kneeOf,
  parseSweep,
  pointOf,
  ratesOf,
  sweepRates,
  type Point,
} from '../../../src/bench/rates/sweep.ts';
import { SettingsError } from '../../../src/settings/settings-error.ts';
import { sidesOf } from '../_rows.ts';
import { random, simulate } from './_simulated.ts';

test('shares are of a rate, and rates stand for themselves', () => {
  expect(ratesOf(parseSweep('10%..120%'), 2000)).toEqual([
    200, 400, 600, 800, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2400,
  ]);
  expect(ratesOf(parseSweep('50%..100%/3'), 1001)).toEqual([501, 751, 1001]);
  expect(ratesOf(parseSweep('1000..20000/2'), 5)).toEqual([1000, 20_000]);
  expect(ratesOf(parseSweep('10%..30%/3'), 4)).toEqual([1]);
});

test.each([
  ['', 'write 10%..120%, 1000..20000, or 10%..120%/6 for six of them'],
  ['10%', 'write 10%..120%'],
  ['-10..20', 'write 10%..120%'],
  ['10..120%', 'both ends are shares, or both are requests per second'],
  ['0..100', 'the first rate is above 0, and the last above the first'],
  ['200..100', 'the first rate is above 0, and the last above the first'],
  ['10%..2000%', 'at most 1000 %'],
  ['10..2000000', 'at most 1000000'],
  ['10..20/1', 'from 2 to 50 rates'],
  ['10..20/51', 'from 2 to 50 rates'],
])('%j is refused', (text, message) => {
  expect(() => parseSweep(text)).toThrow(SettingsError);
  expect(() => parseSweep(text)).toThrow(message);
});

const chance = random(1);
const pointAt = (rate: number, given: { stalls?: number; failing?: number } = {}): Point =>
  pointOf([1, 2, 3].map(() => simulate(rate, { capacity: 1000, chance, ...given })));

test('each side is measured at each rate, in turn and in rounds', async () => {
  const order: string[] = [];
  const side = (name: string): Tried => ({
    capacity: 1000,
    seconds: 1,
    isLocal: true,
    tryRate: (rate) => {
      order.push(`${name} ${rate}`);
      return Promise.resolve(simulate(rate, { capacity: 1000, chance }));
    },
  });
  const { target, direct } = await sweepRates(sidesOf(side('T'), side('D')), [100, 200], 2);
  const first = ['T 100', 'D 100', 'D 200', 'T 200'];
  expect(order).toEqual([...first, 'D 100', 'T 100', 'T 200', 'D 200']);
  expect(target.map(({ rate, requests }) => [rate, requests])).toEqual([
    [100, 250],
    [200, 500],
  ]);
  expect(direct?.[1]).toMatchObject({ rate: 200, errors: 0, isKept: true });
});

test('a trial without a core does not count, unless there is no other', () => {
  const calm = simulate(500, { capacity: 1000, chance });
  const stalled = { ...simulate(500, { capacity: 1000, stalls: 1, chance }), waited: 0.5 };
  expect(pointOf([calm, stalled]).latencies.at(100)).toBeLessThan(2);
  expect(pointOf([stalled]).latencies.at(100)).toBeGreaterThan(90);
});

test('the knee is where latency rises, errors come, or the rate is not kept', () => {
  const rates = [200, 400, 600, 800, 1000, 1200];
  expect(kneeOf(rates.map((rate) => pointAt(rate)))).toEqual({
    below: 1000,
    above: 1200,
    sign: 'rate',
  });
  const atRandom = rates.map((rate) =>
    pointOf([simulate(rate, { capacity: 1000, isPoisson: true, chance })]),
  );
  expect(kneeOf(atRandom)?.sign).toBe('p99');
  const failing = rates.map((rate) => pointAt(rate, { failing: rate >= 600 ? 0.05 : 0 }));
  expect(kneeOf(failing)).toEqual({ below: 400, above: 600, sign: 'errors' });
  expect(kneeOf(rates.slice(0, 4).map((rate) => pointAt(rate)))).toBeUndefined();
  expect(kneeOf([pointAt(1500), pointAt(1600)])).toEqual({
    below: undefined,
    above: 1500,
    sign: 'rate',
  });
  expect(kneeOf([])).toBeUndefined();
});

test('a single rate with a stall is no knee, but at the end', () => {
  const rates = [200, 400, 600, 800];
  const stalledAt = (stalled: number): Point[] =>
    rates.map((rate) => pointAt(rate, { stalls: rate === stalled ? 1 : 0 }));
  expect(kneeOf(stalledAt(400))).toBeUndefined();
  expect(kneeOf(stalledAt(800))).toMatchObject({ below: 600, above: 800 });
});
