import { afterEach, expect, test, vi } from 'vitest';
import { Side } from '../../../src/bench/measure.ts';
import { parseCondition } from '../../../src/bench/rates/condition.ts';
import { measureRates } from '../../../src/bench/rates/row-rates.ts';
import { parseSweep } from '../../../src/bench/rates/sweep.ts';
import { Target } from '../../../src/check/target.ts';
import { scenario, sidesOf } from '../_rows.ts';
import { random, simulate } from './_simulated.ts';

afterEach(() => void vi.restoreAllMocks());

const settings = {
  seconds: 1,
  connections: 1,
  h2Connections: 1,
  streams: 1,
  rate: undefined,
  timeout: 1000,
  threads: undefined,
};

/** A side with a simulated server. @param shown what it did at full load */
function sideWith(capacity: number, shown = capacity): Side {
  const target = new Target({ url: new URL('http://127.0.0.1:1'), insecure: false });
  const side = new Side(
    { target, protocol: 'http/1.1', origin: undefined },
    scenario,
    settings,
    undefined,
  );
  const chance = random(1);
  vi.spyOn(side, 'capacity', 'get').mockReturnValue(shown);
  const trial = (rate: number) => ({
    ...simulate(rate, { capacity, chance }),
    busy: 0,
  });
  vi.spyOn(side, 'tryRate').mockImplementation((rate) => Promise.resolve(trial(rate)));
  return side;
}

let loads = 0;
const options = {
  time: { rounds: 10, end: 0, isStrict: false },
  signal: new AbortController().signal,
  isOneMachine: false,
  onTrial: () => void loads++,
};
const find = parseCondition('p99<5ms');

test('shares of a sweep are of the rate that was found through the target', async () => {
  const sides = sidesOf(sideWith(1000), sideWith(3000));
  const sweep = parseSweep('50%..150%/3');
  const { found, sweep: swept } = await measureRates(sides, { ...options, rates: { find, sweep } });
  expect(found).toMatchObject({ condition: 'p99<5ms', baseline: null });
  expect(found?.target.rate).toBeGreaterThan(970);
  expect(found?.target.rate).toBeLessThan(1030);
  expect(found?.direct?.rate).toBeGreaterThan(2900);
  const rates = swept?.target.points.map(({ rate }) => rate);
  expect(rates).toEqual(
    [0.5, 1, 1.5].map((share) => Math.round((found?.target.rate ?? 0) * share)),
  );
  // At the second rate, it may be a little too much.
  expect(rates?.slice(1)).toContain(swept?.target.knee?.above);
  expect(swept?.direct?.points.map(({ requests }) => requests > 0)).toEqual([true, true, true]);
  expect(swept?.direct?.knee).toBeNull();
  const trials = (found?.target.trials ?? 0) + (found?.direct?.trials ?? 0);
  // Three rates, three rounds and two sides.
  expect(loads).toBe(trials + 18);
});

test('a target that does what the origin alone does may have its limit', async () => {
  const same = sidesOf(sideWith(1000), sideWith(1000));
  const rates = { find, sweep: undefined };
  const { found } = await measureRates(same, { ...options, rates });
  expect(found?.target.note).toBe('not lower than past it: the origin may be the limit');
  expect(found?.direct?.note).toBe('');
  const other = await measureRates(sidesOf(sideWith(1000), sideWith(2000)), { ...options, rates });
  expect(other.found?.target.note).toBe('');
});

test('without a search, they are of what it does at full load', async () => {
  const sweep = parseSweep('10%..20%/2');
  const rates = await measureRates(sidesOf(sideWith(1000)), {
    ...options,
    rates: { find: undefined, sweep },
  });
  expect(rates.found).toBeUndefined();
  expect(rates.sweep?.target.points.map(({ rate }) => rate)).toEqual([100, 200]);
  expect(rates.sweep?.direct).toBeNull();
});

test('if nothing is found, it says that they are of full load', async () => {
  const never = parseCondition('p99<1us');
  const asked = async (text: string) => {
    const rates = { find: never, sweep: parseSweep(text) };
    return (await measureRates(sidesOf(sideWith(1000)), { ...options, rates })).found?.target.note;
  };
  expect(await asked('10%..20%/2')).toMatch(/; the shares of --sweep are of full load$/);
  expect(await asked('100..200/2')).not.toContain('--sweep');
});

test('nothing is measured without being asked for, or if a side does nothing', async () => {
  const sides = sidesOf(sideWith(1000), sideWith(1000, 0));
  const sweep = parseSweep('10%..20%');
  expect(await measureRates(sides, { ...options, rates: { find, sweep } })).toEqual({});
  const none = { find: undefined, sweep: undefined };
  expect(await measureRates(sidesOf(sideWith(1000)), { ...options, rates: none })).toEqual({});
});
