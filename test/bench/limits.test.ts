import { expect, test } from 'vitest';
import {
  directNote,
  isLowerBound,
  judgeLimit,
  type Limit,
  type Measured,
} from '../../src/bench/limits.ts';

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
  [
    { origin: { busy: 0.2, loops: 4 } },
    'target',
    'The 4 event loops of the origin were busy for 20 % of the time.',
  ],
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

test.each<[Limit, number, boolean]>([
  ['load', 0.5, true],
  ['origin', 0.5, true],
  ['target', 0.5, false],
  ['unknown', 0.5, false],
  ['load', 0.95, false],
])(
  'limited by %s, with a load past the target that is busy for %d: %s',
  (limit, busy, expected) => {
    expect(isLowerBound(limit, busy)).toBe(expected);
  },
);

test('a busy load generator past the target makes the ratio too high', () => {
  expect(directNote(base)).toBeUndefined();
  expect(directNote({ ...base, directBusy: undefined })).toBeUndefined();
  expect(directNote({ ...base, directBusy: 0.91 })).toContain('the ratio may be lower');
});
