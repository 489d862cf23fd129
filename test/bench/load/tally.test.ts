import { expect, test } from 'vitest';
import { Tally } from '../../../src/bench/load/tally.ts';

test('failures are counted by reason', () => {
  const tally = new Tally();
  for (const failure of [undefined, 'timeout', 'status 502', 'timeout']) tally.count(failure);
  expect(tally.requests).toBe(4);
  expect(tally.errors).toEqual({ timeout: 2, 'status 502': 1 });
});

test('of reasons without end only some are kept, and every failure counts', () => {
  const tally = new Tally();
  for (let code = 0; code < 1000; code++) tally.count(`stream reset (0x${code.toString(16)})`);
  const counts = Object.values(tally.errors);
  expect(counts.length).toBeLessThan(30);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1000);
});
