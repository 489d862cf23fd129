import { expect, test } from 'vitest';
import { openRequests, RequestCounts } from '../../src/net/request-counts.ts';

test('requests that overlap are counted, each with its number', () => {
  const others = openRequests();
  const counts = new RequestCounts(0);
  expect([counts.nextNumber(), counts.nextNumber(), counts.nextNumber()]).toEqual([1, 2, 3]);
  counts.noteFinished();
  expect(counts.nextNumber()).toBe(4);
  expect(openRequests() - others).toBe(3);
  for (let open = 3; open > 0; open--) counts.noteFinished();
  counts.refusedAboveLimit(2);
  expect(counts.nextNumber()).toBe(5);
  counts.noteFinished();
  expect(openRequests()).toBe(others);
  const { total, open, overlapping, maxOpen, aboveLimit } = counts;
  expect({ total, open, overlapping, maxOpen, aboveLimit }).toEqual({
    total: 5,
    open: 0,
    overlapping: 3,
    maxOpen: 3,
    aboveLimit: 2,
  });
});

test('a connection is idle since it was opened, or since its last request or other work', () => {
  const counts = new RequestCounts(1000);
  expect(counts.idleFor(1500, false)).toBe(500);
  expect(counts.idleFor(1600, true)).toBe(0);
  expect(counts.idleFor(1700, false)).toBe(100);
  counts.nextNumber();
  expect(counts.idleFor(9000, false)).toBe(0);
  const before = performance.now();
  counts.noteFinished();
  expect(counts.idleFor(before + 60_000, false)).toBeLessThanOrEqual(60_000);
  expect(counts.idleFor(performance.now() + 60_000, false)).toBeGreaterThanOrEqual(60_000);
});
