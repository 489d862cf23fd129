import { expect, test } from 'vitest';
import { spread } from '../../src/http/spread.ts';

const never = new AbortController().signal;

/** When each thing was due, in milliseconds. */
async function timesOf(...args: [count: number, seconds: number, jitter?: number]) {
  const [count, seconds, jitter] = args;
  const start = performance.now();
  const times: number[] = [];
  for await (const due of spread(count, seconds, never, jitter)) {
    const now = performance.now() - start;
    while (times.length < due) times.push(now);
  }
  return times;
}

test('the first at once, the last when it is over, the others in even steps', async () => {
  const times = await timesOf(5, 0.2);
  expect(times).toHaveLength(5);
  for (const [at, time] of times.entries()) {
    // Never early.
    expect(time).toBeGreaterThanOrEqual(at * 50);
    expect(time).toBeLessThan(at * 50 + 45);
  }
});

test.each([
  [0, 0],
  [0, 10],
  [1, 10],
  [10_000, 0],
])('%d in %d seconds are there at once', async (count, seconds) => {
  const start = performance.now();
  expect(await timesOf(count, seconds)).toHaveLength(count);
  expect(performance.now() - start).toBeLessThan(100);
});

test('more than a timer can count come together', async () => {
  const times = await timesOf(10_000, 0.1);
  expect(times).toHaveLength(10_000);
  expect(times.at(-1)).toBeGreaterThanOrEqual(100);
  expect(new Set(times).size).toBeLessThan(1_000);
});

test('jitter moves all but the first and the last, by half of it either way', async () => {
  const times = await timesOf(21, 0.4, 1);
  expect(times[0]).toBeLessThan(15);
  expect(times.at(-1)).toBeGreaterThanOrEqual(400);
  const shifts = times.slice(1, -1).map((time, at) => time - (at + 1) * 20);
  for (const shift of shifts) expect(shift).toBeGreaterThan(-10.001);
  expect(Math.min(...shifts)).toBeLessThan(0);
  expect(Math.max(...shifts) - Math.min(...shifts)).toBeGreaterThan(5);
});

test('it ends when the client goes', async () => {
  const gone = new AbortController();
  setTimeout(() => gone.abort(), 20);
  const all = (async () => {
    for await (const due of spread(2, 300, gone.signal)) expect(due).toBe(1);
  })();
  await expect(all).rejects.toThrow('aborted');
});
