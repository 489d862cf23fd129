import { expect, test } from 'vitest';
import { Timeline } from '../../../src/bench/during/timeline.ts';

const SPAN = { begin: 1000, end: 1250 };

/** A timeline of requests: when each was due, how long it took, and why it failed. */
function timelineOf(requests: readonly (readonly [due: number, took: number, failure?: string])[]) {
  const timeline = new Timeline();
  for (const [due, took, failure] of requests) timeline.record(due, due + took, failure);
  return timeline;
}

test('buckets begin with the command, and requests are in that in which they were due', () => {
  const timeline = timelineOf([
    [1010, 5],
    [850, 1],
    [1090, 15],
    [1050, 400, 'connection reset'],
    [1250, 3, 'connection refused'],
  ]);
  expect(timeline.buckets(SPAN)).toEqual({
    width: 100,
    buckets: [
      { at: -200, requests: 1, errors: 0, latency: { p50: 1, p99: 1, max: 1 } },
      { at: -100, requests: 0, errors: 0, latency: undefined },
      { at: 0, requests: 3, errors: 1, latency: { p50: 10, p99: 14.9, max: 15 } },
      { at: 100, requests: 0, errors: 0, latency: undefined },
      { at: 200, requests: 1, errors: 1, latency: undefined },
    ],
  });
});

test('a long run has wider buckets', () => {
  const timeline = timelineOf([
    [0, 1],
    [120_000, 1],
  ]);
  const { width, buckets } = timeline.buckets(SPAN);
  expect(width).toBe(200);
  expect(buckets).toHaveLength(601);
  expect(buckets[0]?.at).toBe(-1000);
});

test('without requests there are no buckets', () => {
  expect(timelineOf([]).buckets(SPAN).buckets).toEqual([]);
});

test('what the command may have met counts as during it', () => {
  const { before, during, after } = timelineOf([
    [900, 99],
    [900, 100, 'connection reset'],
    [1250, 1, 'timeout'],
    [1251, 7],
  ]).phases(SPAN);
  expect(before).toMatchObject({ requests: 1, errors: {} });
  expect(during).toEqual({
    requests: 2,
    errors: { 'connection reset': 1, timeout: 1 },
    percentiles: undefined,
  });
  expect(after).toMatchObject({ requests: 1, errors: {} });
  expect(after.percentiles?.p50).toBeCloseTo(7, 1);
});
