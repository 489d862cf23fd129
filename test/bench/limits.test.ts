import { expect, test } from 'vitest';
import { directNote, judgeLimit, openEnds, type Measured } from '../../src/bench/limits.ts';

const estimate = (value: number) => ({ value, low: value - 0.1, high: value + 0.1 });
const loop = (busy: number, loops = 1, waited = 0) => ({ busy, loops, waited });

const base: Measured = {
  requestsPerSecond: 1000,
  load: { busy: 0.5, waited: 0 },
  directBusy: 0.5,
  crowding: 0,
  pressure: 0,
  ratio: estimate(0.6),
  origin: undefined,
  doubled: { requestsPerSecond: 1050, busy: 0.6 },
};

test.each<[Partial<Measured>, string, string]>([
  [
    { load: { busy: 0.95, waited: 0 }, ratio: estimate(0.3) },
    'load',
    'The load generator was busy for 95 % of the time',
  ],
  [{ requestsPerSecond: 0, ratio: undefined }, 'unknown', 'No request was successful.'],
  [{ ratio: undefined, directBusy: undefined }, 'unknown', 'Only with --direct'],
  [{ ratio: undefined }, 'unknown', 'No request past the target was successful.'],
  [{ origin: loop(0.93) }, 'origin', 'The origin was busy for 93 % of the time'],
  [{ origin: loop(0.4) }, 'target', 'The origin was busy for 40 % of the time.'],
  [
    { origin: loop(0.2, 4) },
    'target',
    'The 4 event loops of the origin were busy for 20 % of the time.',
  ],
  [{ origin: loop(0.3, 4) }, 'unknown', 'One of its workers may have been busy'],
  [{ origin: loop(0.3, 4), ratio: estimate(0.4) }, 'target', '2.5 times as much'],
  [{ ratio: estimate(0.5) }, 'target', 'The origin alone does 2.0 times as much.'],
  [{ ratio: estimate(0.6) }, 'unknown', 'Start it with --metrics-enabled'],
  // Nothing tells what limits it.
  [{ ratio: estimate(0.85) }, 'unknown', 'Start it with --metrics-enabled'],
  [{ ratio: estimate(0.97) }, 'unknown', 'Start it with --metrics-enabled'],
  // What took the cores of load or origin was the limit.
  [
    { load: { busy: 0.5, waited: 0.2 }, origin: loop(0.4) },
    'unknown',
    'waited for a core for 20 %',
  ],
  [{ origin: loop(0.95, 1, 0.3) }, 'unknown', 'waited for a core for 30 %'],
  [
    { crowding: 0.4, origin: loop(0.4) },
    'unknown',
    'Processes of this machine waited for a core for 40 % of the time more',
  ],
  // There may be nothing between.
  [{ ratio: estimate(1.05), origin: loop(0.4) }, 'unknown', 'as fast as the origin alone'],
  [{ ratio: estimate(1.34), origin: loop(0.4) }, 'unknown', 'as fast as the origin alone'],
  // The load can do more.
  [
    { origin: loop(0.4), doubled: { requestsPerSecond: 1500, busy: 0.7 } },
    'load',
    'Twice as many connections do 1.5 times as much',
  ],
  [
    { origin: loop(0.4), doubled: { requestsPerSecond: 1000, busy: 0.95 } },
    'unknown',
    'With twice as many connections, the load generator was busy for 95 %',
  ],
  [{ origin: loop(0.4), doubled: undefined }, 'unknown', 'was not measured'],
])('%j: %s', (measured, limit, reason) => {
  const judgement = judgeLimit({ ...base, ...measured });
  expect(judgement.limit).toBe(limit);
  expect(judgement.reason).toContain(reason);
});

test('the target is never the limit if it may be as fast as the origin', () => {
  for (const median of [0.95, 1, 1.1, 3.49]) {
    for (const origin of [undefined, loop(0.1), loop(0.1, 8)]) {
      expect(judgeLimit({ ...base, ratio: estimate(median), origin }).limit).not.toBe('target');
    }
  }
});

test.each<[number, number, boolean, boolean]>([
  [0.5, 0.5, false, false],
  [0.95, 0.5, false, true],
  [0.5, 0.95, true, false],
  // Nearly so: a faster one may do more.
  [0.5, 0.81, true, false],
  [0.95, 0.95, true, true],
])(
  'a generator that is busy for %d and %d leaves the ratio open below and above: %s, %s',
  (through, past, low, high) => {
    const [target, baseline] = [through, past].map((busy) => ({ load: { busy, waited: 0 } }));
    expect(openEnds(target ?? base, baseline)).toEqual({ low, high });
  },
);

test('a generator that waits while the target has its cores leaves the ratio open upwards', () => {
  const waiting = { load: { busy: 0.5, waited: 0.2 } };
  expect(openEnds(waiting, { load: base.load })).toEqual({ low: false, high: true });
});

test('a busy load generator past the target makes the ratio too high', () => {
  expect(directNote(base)).toBeUndefined();
  expect(directNote({ ...base, directBusy: undefined })).toBeUndefined();
  expect(directNote({ ...base, directBusy: 0.91 })).toContain('the ratio may be lower');
  const load = { busy: 0.95, waited: 0 };
  expect(directNote({ ...base, load, directBusy: 0.91 })).toContain('the ratio says nothing');
});
