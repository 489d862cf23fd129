import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Latencies } from '../../../src/bench/latencies.ts';
import { FixedRate, recordIn } from '../../../src/bench/load/fixed-rate.ts';
import { mergedRate } from '../../../src/bench/load/merged-load.ts';
import { Tally } from '../../../src/bench/load/tally.ts';

beforeEach(() => {
  vi.useFakeTimers();
  // Fake timers have no utilization of the event loop.
  const none = { idle: 0, active: 0, utilization: 0 };
  vi.spyOn(performance, 'eventLoopUtilization').mockReturnValue(none);
});
afterEach(() => void vi.useRealTimers());

/** 100 requests in a second, on so many slots of which each takes so many milliseconds. */
async function sent(slots: number, milliseconds: number, timeout = 60_000) {
  const latencies = new Latencies();
  const tally = new Tally();
  /** From when the time limit of each request counts. */
  const since: number[] = [];
  const start = performance.now();
  const all = Array.from({ length: slots }, () => ({
    send: (from: number, done: (failure: string | undefined) => void) => {
      since.push(from - start);
      setTimeout(done, milliseconds, undefined);
    },
  }));
  const load = new FixedRate({ all }, recordIn(tally, latencies), {
    rate: 100,
    seconds: 1,
    warmUp: 0,
    timeout,
  });
  const run = load.run(new AbortController().signal);
  await vi.runAllTimersAsync();
  return { ...mergedRate([await run]), percentiles: latencies.percentiles, tally, since };
}

test('requests that wait for a slot count from when they were due', async () => {
  // A slot does 50 per second: the last of 100 is due after 0.99 s, and done after 2 s.
  const { queued, completed, lagP99, percentiles, tally, since } = await sent(1, 20);
  expect(queued).toBeCloseTo(0.99, 1);
  expect(completed).toBeCloseTo(50, -1);
  // The first request was not late, and the others waited for the slot.
  expect(lagP99).toBeLessThan(5);
  expect(percentiles?.max).toBeGreaterThan(950);
  expect(percentiles?.max).toBeLessThan(1100);
  expect(tally.errors).toEqual({});
  // So does their time limit.
  expect(since.at(-1)).toBeCloseTo(990, -1);
});

test('a rate that is kept has no queue', async () => {
  const { queued, completed, lagP99, percentiles } = await sent(4, 20);
  expect(queued).toBe(0);
  expect(completed / 100).toBeGreaterThan(0.97);
  expect(lagP99).toBeLessThan(5);
  expect(percentiles?.max).toBeLessThan(25);
});

test('a request that is due for too long is a timeout', async () => {
  const { tally } = await sent(1, 20, 500);
  expect(tally.requests).toBe(100);
  expect(tally.errors['timeout']).toBeGreaterThan(1);
});

test('a load generator that was stopped for a while was late', async () => {
  const now = performance.now.bind(performance);
  const half = now() + 500;
  // The clock goes on for 200 ms, but no timer runs.
  vi.spyOn(performance, 'now').mockImplementation(() => now() + (now() < half ? 0 : 200));
  const { lagP99, tally } = await sent(100, 1, 100);
  expect(lagP99).toBeGreaterThan(150);
  // That is not the target's fault.
  expect(tally.errors).toEqual({});
});
