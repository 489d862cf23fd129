import { expect, test, vi } from 'vitest';
import { SettingsError } from '../../src/settings/settings-error.ts';
import { estimate, roundPlan, rowTime } from '../../src/bench/round-plan.ts';

const given = { rounds: undefined, duration: undefined, time: undefined };

test('by default, ten rounds of a second, and more while results are unclear', () => {
  const plan = roundPlan(given, 8, 2);
  expect(plan).toEqual({ rounds: 10, seconds: 1, time: undefined, isOpen: true });
  expect(estimate(plan, 8, 2)).toBe('8 rows of at least 10 rounds: about 7 to 16 minutes');
  expect(estimate(plan, 1, 2)).toBe('1 row of at least 10 rounds: about 52 seconds to 2 minutes');
  // Without a second side nothing is unclear.
  expect(estimate(plan, 8, 1)).toBe('8 rows of 10 rounds: about 3 minutes');
});

test('--rounds without --time is their number', () => {
  const plan = roundPlan({ ...given, rounds: 5, duration: 2 }, 8, 2);
  expect(plan).toEqual({ rounds: 5, seconds: 2, time: undefined, isOpen: false });
  expect(estimate(plan, 8, 2)).toBe('8 rows of 5 rounds: about 7 minutes');
});

test.each([
  [1, 120, 1],
  [3, 120, 0.78],
  [8, 120, 0.29],
  [8, 10, 0.1],
])('for %i rows in %i s loads have %d s', (rows, time, seconds) => {
  const plan = roundPlan({ ...given, time }, rows, 2);
  expect(plan).toEqual({ rounds: 10, seconds, time, isOpen: true });
  expect(estimate(plan, rows, 2)).toContain(time === 10 ? '10 seconds' : '2 minutes');
});

test('--duration is never changed', () => {
  expect(roundPlan({ ...given, time: 300, duration: 3 }, 8, 2).seconds).toBe(3);
});

test.each([
  [{ time: 1 }, 8, 'takes about 8 seconds'],
  [{ time: 10, duration: 5 }, 8, 'takes about 4 minutes'],
  [{ time: 10, duration: 5 }, 1, 'takes about 30 seconds'],
])('a time that has no room for one round is refused: %j', (options, rows, text) => {
  expect(() => roundPlan({ ...given, ...options }, rows, 2)).toThrow(text);
  expect(() => roundPlan({ ...given, ...options }, rows, 2)).toThrow(SettingsError);
});

test('rows share the time that is left', () => {
  vi.spyOn(performance, 'now').mockReturnValue(20_000);
  const limited = roundPlan({ ...given, time: 100 }, 8, 2);
  expect(rowTime(limited, 100_000, 4)).toEqual({ rounds: 10, end: 40_000, isStrict: true });
  const open = roundPlan(given, 8, 2);
  expect(rowTime(open, Infinity, 4)).toEqual({ rounds: 10, end: 140_000, isStrict: false });
  const fixed = roundPlan({ ...given, rounds: 3 }, 8, 2);
  expect(rowTime(fixed, Infinity, 4)).toEqual({ rounds: 3, end: 20_000, isStrict: false });
});
