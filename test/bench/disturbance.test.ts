import { describe, expect, test } from 'vitest';
import { isInvalid, undisturbed, type Conditions } from '../../src/bench/disturbance.ts';
import { sidesOf } from './_rows.ts';

/** Rounds in which load generator and origin had to wait. */
const rounds = (...each: readonly (readonly [load: number, origin?: number])[]) =>
  each.map(([waited, origin]): Conditions => ({
    waited,
    pressure: 0.05,
    origin: { busy: 0.5, waited: origin, loops: 1 },
  }));

const calm = rounds([0.01, 0.02], [0.01, 0.02], [0.01, 0.02]);

test('a quiet machine drops nothing', () => {
  const found = undisturbed(sidesOf(calm, calm), false);
  expect(found).toEqual({ done: 3, kept: [0, 1, 2], disturbance: undefined });
  expect(isInvalid(found)).toBe(false);
});

test.each<[string, Conditions[], string]>([
  [
    'the load generator',
    rounds([0.01, 0], [0.3, 0], [0.01, 0]),
    'the load generator waited for a core for 30 % of the time',
  ],
  ['the origin', rounds([0, 0.09], [0, 0.4], [0, 0]), 'the origin waited for a core for 40 %'],
])('a round in which one side was disturbed is dropped: %s', (_, side, text) => {
  for (const found of [
    undisturbed(sidesOf(side, calm), false),
    undisturbed(sidesOf(calm, side), false),
  ]) {
    expect(found.kept).toEqual([0, 2]);
    expect(found.disturbance).toContain(text);
    expect(isInvalid(found)).toBe(false);
  }
});

test('with less than half of the rounds, nothing can be said', () => {
  const starved = rounds([0.5], [0.5], [0.01]);
  expect(isInvalid(undisturbed(sidesOf(starved, calm), false))).toBe(true);
  expect(isInvalid(undisturbed(sidesOf(starved, undefined), false))).toBe(true);
  expect(isInvalid(undisturbed(sidesOf(starved, calm), true))).toBe(false);
});

test('nothing is invalid before it was measured', () => {
  const found = undisturbed(sidesOf([], []), false);
  expect(found).toEqual({ done: 0, kept: [], disturbance: undefined });
  expect(isInvalid(found)).toBe(false);
});

const untold = (...pressures: readonly (number | undefined)[]): Conditions[] =>
  pressures.map((pressure) => ({ waited: 0.01, pressure, origin: undefined }));

test('an origin that does not tell is disturbed if the machine is, and it is on it', () => {
  const crowded = untold(0.1, 0.9, 0.1);
  const quiet = untold(0.1, 0.1, undefined);
  expect(undisturbed(sidesOf(quiet, crowded), true)).toMatchObject({
    kept: [0, 2],
    disturbance: 'processes of this machine waited for a core for 90 % of the time',
  });
  expect(undisturbed(sidesOf(crowded, quiet), true).kept).toEqual([0, 2]);
  expect(undisturbed(sidesOf(quiet, crowded), false).kept).toHaveLength(3);
  // Usually so: the target takes the cores.
  expect(undisturbed(sidesOf(untold(0.9, 0.9, 0.9), quiet), true).kept).toHaveLength(3);
});

test('an origin that does not tell, elsewhere, is not known to be disturbed', () => {
  const silent = calm.map((each) => ({ ...each, origin: undefined }));
  expect(undisturbed(sidesOf(silent, rounds([0], [0], [0])), false).kept).toHaveLength(3);
});

describe('a target on the same machine', () => {
  const sharing = rounds([0.3, 0.2], [0.32, 0.25], [0.31, 0.22]);

  test('takes cores, which is no disturbance', () => {
    expect(undisturbed(sidesOf(sharing, calm), true).kept).toHaveLength(3);
    expect(undisturbed(sidesOf(sharing, calm), false).kept).toHaveLength(0);
  });

  test('what takes more than it does, or takes them past it, is one', () => {
    const worse = rounds([0.3, 0.2], [0.6, 0.2], [0.3, 0.2]);
    expect(undisturbed(sidesOf(worse, calm), true).kept).toEqual([0, 2]);
    expect(undisturbed(sidesOf(sharing, sharing), true).kept).toHaveLength(0);
  });
});

test('each of three sides may be disturbed', () => {
  const starved = rounds([0.01], [0.3], [0.01]);
  for (const sides of [
    { target: starved, baseline: calm, direct: calm },
    { target: calm, baseline: starved, direct: calm },
    { target: calm, baseline: calm, direct: starved },
    { target: calm, baseline: starved, direct: undefined },
  ]) {
    expect(undisturbed(sides, false).kept).toEqual([0, 2]);
  }
});
