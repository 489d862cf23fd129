import { expect, test } from 'vitest';
import { judgeTrial, parseCondition } from '../../../src/bench/rates/condition.ts';
import { findRates, type Found, type Tried } from '../../../src/bench/rates/find.ts';
import { sidesOf } from '../_rows.ts';
import { random, simulate, type Simulation } from './_simulated.ts';

const SEEDS = Array.from({ length: 6 }, (_, at) => at + 1);

function server(simulation: Simulation, capacity = simulation.capacity): Tried {
  return {
    capacity,
    seconds: 1,
    isLocal: true,
    tryRate: (rate) => Promise.resolve(simulate(rate, simulation)),
  };
}

async function foundBy(text: string, side: Tried): Promise<Found> {
  const { target } = await findRates(parseCondition(text), sidesOf(side));
  return target;
}

/** The rate at which half of many trials hold, by bisection. */
function truth(text: string, simulation: Omit<Simulation, 'chance'>): number {
  const chance = random(99);
  let [low, high] = [simulation.capacity / 10, simulation.capacity * 1.2];
  while (high > low * 1.01) {
    const rate = Math.sqrt(low * high);
    const held = Array.from({ length: 60 }, () =>
      judgeTrial(parseCondition(text), simulate(rate, { ...simulation, chance })),
    ).filter((outcome) => outcome === 'holds').length;
    if (held >= 30) low = rate;
    else high = rate;
  }
  return Math.sqrt(low * high);
}

test.each([
  ['p99<5ms', {}],
  ['p99<5ms', { stalls: 0.15 }],
  ['p99<50ms and errors=0', {}],
  ['errors=0', {}],
  ['p99<8ms', { isJittery: true }],
  ['p99<20ms', { isPoisson: true }],
  ['p99<20ms', { isPoisson: true, stalls: 0.1 }],
  ['p50<3ms', { isPoisson: true, delay: 1 }],
])('%s on a server with %j is found within 5 %', async (text, given) => {
  const simulation = { capacity: 1000, ...given };
  // Stalls that are rare do not lower the rate that holds in most trials.
  const right = truth(text, { ...simulation, stalls: 0 });
  let inside = 0;
  for (const seed of SEEDS) {
    const { rate, low, high, limit } = await foundBy(
      text,
      server({ ...simulation, chance: random(seed) }),
    );
    expect(rate / right).toBeGreaterThan(0.95);
    expect(rate / right).toBeLessThan(1.05);
    expect(limit).toBe('side');
    if (low <= right * 1.01 && high >= right * 0.99) inside++;
  }
  expect(inside).toBeGreaterThanOrEqual(5);
});

test.each([0.3, 0.5, 1, 3])('a capacity that is off by %d is only where it begins', async (off) => {
  const side = server({ capacity: 1000, chance: random(1) }, 1000 * off);
  const { rate, trials } = await foundBy('p99<5ms', side);
  expect(rate / 1000).toBeGreaterThan(0.97);
  expect(rate / 1000).toBeLessThan(1.03);
  expect(trials).toBeLessThan(35);
});

test('a stall in every trial holds nowhere, but for the median', async () => {
  const stalled = { capacity: 1000, stalls: 1, chance: random(1) };
  expect(await foundBy('p99<5ms', server(stalled))).toMatchObject({ rate: 0, limit: 'none' });
  const { rate } = await foundBy('p50<5ms', server(stalled));
  expect(rate / 1000).toBeGreaterThan(0.7);
});

test.each([0.002, 0.01, 0.1])('if a share of %d fails, errors=0 holds nowhere', async (failing) => {
  for (const seed of SEEDS) {
    const side = server({ capacity: 1000, failing, chance: random(seed) });
    expect(await foundBy('errors=0', side)).toMatchObject({ rate: 0, limit: 'none' });
    expect(await foundBy('max<9ms', side)).toMatchObject({ rate: 0, limit: 'none' });
    expect(await foundBy('errors<20%', side)).toMatchObject({ limit: 'side' });
  }
});

test('a load generator that cannot send more was the limit', async () => {
  for (const seed of SEEDS) {
    const found = await foundBy(
      'p99<5ms',
      server({ capacity: 1000, sends: 500, chance: random(seed) }),
    );
    expect(found.limit).toBe('load');
    expect(found.reason).toMatch(/load generator was late itself/);
    expect(found.rate / 500).toBeGreaterThan(0.95);
    expect(found.rate / 500).toBeLessThan(1.05);
  }
});

test('so were connections, if it holds with twice as many', async () => {
  const base = { capacity: 1000, chance: random(1) };
  const limited = (rate: number, factor: number, most: number) => ({
    ...simulate(rate, { ...base, capacity: most * factor }),
    queued: rate > most * factor ? 0.5 : 0,
  });
  const side = (isLimited: boolean): Tried => ({
    capacity: 500,
    seconds: 1,
    isLocal: true,
    tryRate: (rate, factor = 1) => Promise.resolve(limited(rate, isLimited ? factor : 1, 500)),
  });
  expect(await foundBy('p99<5ms', side(true))).toMatchObject({
    limit: 'load',
    reason: expect.stringMatching(/^with twice as many connections, it holds at \d+\/s too$/),
  });
  expect(await foundBy('p99<5ms', side(false))).toMatchObject({ limit: 'side' });
});

/** A server whose load generator has no core in every so many trials. */
function starving(every: number): Tried {
  const simulation = { capacity: 1000, chance: random(3) };
  let trials = 0;
  return {
    capacity: 1000,
    seconds: 1,
    isLocal: true,
    tryRate: (rate) => {
      const isStarved = ++trials % every === 0;
      const trial = simulate(rate, { ...simulation, stalls: isStarved ? 1 : 0 });
      return Promise.resolve({ ...trial, waited: isStarved ? 0.2 : 0 });
    },
  };
}

test('a load generator that is late every other time is not taken for slow', async () => {
  const simulation = { capacity: 1000, chance: random(3) };
  let trials = 0;
  const side: Tried = {
    capacity: 1000,
    seconds: 1,
    isLocal: true,
    tryRate(rate) {
      const isLate = ++trials % 2 === 0;
      const trial = simulate(rate, { ...simulation, stalls: isLate ? 1 : 0 });
      return Promise.resolve({ ...trial, lagP99: isLate ? 200 : 0.1 });
    },
  };
  const { rate, limit } = await foundBy('p99<5ms', side);
  expect(limit).toBe('side');
  expect(rate / 1000).toBeGreaterThan(0.97);
});

test('trials without a core are repeated, until there are too many of them', async () => {
  const { rate, limit } = await foundBy('p99<5ms', starving(3));
  expect(limit).toBe('side');
  expect(rate / 1000).toBeGreaterThan(0.97);
  expect(await foundBy('p99<5ms', starving(1))).toMatchObject({
    rate: 0,
    limit: 'load',
    reason: 'in 40 of 40 trials, load generator or side waited for a core',
  });
});

test('a side without a core, at a rate that is low for it, is not taken for slow', async () => {
  const simulation = { capacity: 1000, chance: random(3) };
  const crowded = (isLocal: boolean): Tried => ({
    capacity: 1000,
    seconds: 1,
    isLocal,
    tryRate: (rate) =>
      Promise.resolve({ ...simulate(rate, { ...simulation, stalls: 1 }), pressure: 0.9 }),
  });
  const reason = 'in 40 of 40 trials, load generator or side waited for a core';
  expect(await foundBy('p99<5ms', crowded(true))).toMatchObject({ rate: 0, limit: 'load', reason });
  expect(await foundBy('p99<5ms', crowded(false))).toMatchObject({ limit: 'none' });
});

test('a percentile is not searched for with less requests than it has to have', async () => {
  const rates: number[] = [];
  const never: Tried = {
    capacity: 5000,
    seconds: 1,
    isLocal: false,
    tryRate(rate) {
      rates.push(rate);
      return Promise.resolve(simulate(rate, { capacity: 5000, stalls: 1, chance: random(1) }));
    },
  };
  expect((await foundBy('p99.9<1ms', never)).reason).toBe('not at 1,000/s either');
  expect((await foundBy('p50<0.1ms', never)).reason).toBe('not at 100/s either');
  expect(Math.min(...rates)).toBeGreaterThanOrEqual(99);
});

test('sides are measured in turn, each as long as it needs', async () => {
  const order: string[] = [];
  const side = (name: string, capacity: number): Tried => ({
    capacity,
    seconds: 1,
    isLocal: true,
    tryRate: (rate) => {
      order.push(name);
      return Promise.resolve(simulate(rate, { capacity, chance: random(1) }));
    },
  });
  const sides = sidesOf(side('target', 1000), side('direct', 3000));
  const { target, direct } = await findRates(parseCondition('p99<5ms'), sides);
  expect(order.slice(0, 6)).toEqual(['target', 'direct', 'direct', 'target', 'target', 'direct']);
  expect((direct?.rate ?? 0) / target.rate).toBeCloseTo(3, 1);
});
