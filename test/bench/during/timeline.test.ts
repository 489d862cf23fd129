import { expect, test } from 'vitest';
import { Timeline } from '../../../src/bench/during/timeline.ts';

const BEGIN = 1000;

/** A request: when it was due, how long it took, and why it failed. */
type Recorded = readonly [due: number, took: number, failure?: string];

/** Records requests as they end, before a command that is to begin at 1000 began, while it ran, and after it. */
function timelineOf(
  before: readonly Recorded[],
  during: readonly Recorded[],
  after: readonly Recorded[],
  began = BEGIN,
) {
  const timeline = new Timeline(BEGIN);
  const record = (requests: readonly Recorded[]): void => {
    for (const [due, took, failure] of requests) timeline.record(due, due + took, failure);
  };
  record(before);
  timeline.began(began);
  record(during);
  timeline.ended(1250);
  record(after);
  return timeline;
}

test('buckets begin when the command was to, and requests are in that in which they were due', () => {
  const during: Recorded[] = [
    [1010, 5],
    [1090, 15],
  ];
  const after: Recorded[] = [
    [1050, 400, 'connection reset'],
    [1250, 3, 'connection refused'],
  ];
  const { width, buckets } = timelineOf([[850, 1]], during, after, 1002).buckets();
  expect(width).toBe(100);
  expect(buckets).toMatchObject([
    { at: -202, requests: 1, errors: 0 },
    { at: -102, requests: 0, errors: 0, latency: undefined },
    { at: -2, requests: 3, errors: 1 },
    { at: 98, requests: 0, errors: 0, latency: undefined },
    { at: 198, requests: 1, errors: 1, latency: undefined },
  ]);
  expect(buckets[2]?.latency?.p50).toBeCloseTo(5, 1);
  expect(buckets[2]?.latency?.max).toBeCloseTo(15, 1);
});

test('a long run has wider buckets, and not more of them', () => {
  const long = Array.from({ length: 1300 }, (_, at): Recorded => [at * 100, at === 0 ? 50 : 1]);
  const { width, buckets } = timelineOf(long.slice(0, 10), long.slice(10), []).buckets();
  expect(width).toBe(400);
  expect(buckets.length).toBeLessThanOrEqual(600);
  expect(buckets.map(({ requests }) => requests).reduce((sum, each) => sum + each)).toBe(1300);
  expect(buckets[0]).toMatchObject({ at: -1200, requests: 2 });
  expect(buckets[0]?.latency?.max).toBeCloseTo(50, 1);
  expect(buckets.find(({ at }) => at === 0)?.requests).toBe(4);
});

test('without requests there are no buckets', () => {
  expect(timelineOf([], [], []).buckets().buckets).toEqual([]);
});

test('what the command may have met counts as during it', () => {
  const timeline = timelineOf(
    [[900, 99]],
    [[900, 100, 'connection reset']],
    [
      [1250, 1, 'timeout'],
      [1251, 7],
    ],
  );
  const { before, during, after } = timeline.phases();
  expect(before).toMatchObject({ requests: 1, errors: {} });
  expect(during).toEqual({
    requests: 2,
    errors: { 'connection reset': 1, timeout: 1 },
    percentiles: undefined,
  });
  expect(after).toMatchObject({ requests: 1, errors: {} });
  expect(after.percentiles?.p50).toBeCloseTo(7, 1);
});
