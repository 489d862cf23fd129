import { expect, test } from 'vitest';
import { directNote, isLowerBound, judgeLimit, type Measured } from '../../src/bench/limits.ts';

const base: Measured = {
  requestsPerSecond: 1000,
  loadBusy: 0.5,
  directBusy: 0.5,
  ratio: 0.6,
  origin: undefined,
};

test.each<[Partial<Measured>, string, string]>([
  [{ loadBusy: 0.95, ratio: 0.3 }, 'load', 'The load generator was busy for 95 % of the time'],
  [{ requestsPerSecond: 0, ratio: 0 }, 'unknown', 'No request was successful.'],
  [{ ratio: undefined, directBusy: undefined }, 'unknown', 'Only with --direct'],
  [{ ratio: undefined }, 'unknown', 'No request past the target was successful.'],
  [{ origin: { busy: 0.93, loops: 1 } }, 'origin', 'The origin was busy for 93 % of the time'],
  [{ origin: { busy: 0.4, loops: 1 } }, 'target', 'The origin was busy for 40 % of the time.'],
  [{ origin: { busy: 0.2, loops: 4 } }, 'target', 'The origin was busy for 80 % of the time.'],
  [{ origin: { busy: 0.3, loops: 4 } }, 'unknown', 'One of its workers may have been busy'],
  [{ origin: { busy: 0.3, loops: 4 }, ratio: 0.4 }, 'target', '2.5 times as much'],
  [{ ratio: 0.5 }, 'target', 'The origin alone does 2.0 times as much.'],
  [{ ratio: 0.6 }, 'unknown', 'Start it with --metrics-enabled'],
  [{ ratio: 0.97 }, 'origin', 'The target did 97 % of what the origin does alone'],
])('%j: %s', (measured, limit, reason) => {
  const judgement = judgeLimit({ ...base, ...measured });
  expect(judgement.limit).toBe(limit);
  expect(judgement.reason).toContain(reason);
});

test('the target can do more than was measured unless it was the limit', () => {
  expect(
    ['load', 'origin', 'target', 'unknown'].map((limit) => isLowerBound(limit as 'load')),
  ).toEqual([true, true, false, false]);
});

test('a busy load generator past the target makes the ratio too high', () => {
  expect(directNote(base)).toBeUndefined();
  expect(directNote({ ...base, directBusy: undefined })).toBeUndefined();
  expect(directNote({ ...base, directBusy: 0.91 })).toContain('the ratio may be lower');
});
