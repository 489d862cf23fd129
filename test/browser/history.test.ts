import { expect, test } from 'vitest';
import { chartsOf } from '../../src/browser/history.ts';
import type { Minute } from '../../src/telemetry/history-schema.ts';

const MINUTE = 60;
const start = Date.parse('2026-01-01T10:00:07Z') / 1000;

function minuteAt(at: number, more: Partial<Minute> = {}): Minute {
  return {
    start: new Date((start + at * MINUTE) * 1000).toISOString(),
    requests: 1,
    statuses: { '2xx': 1 },
    duration_ms: { mean: 2, p50: 1, p99: 3 },
    connections: 4,
    faults: {},
    chaos: {},
    terminations: {},
    ...more,
  };
}

function valuesOf(minutes: readonly Minute[], now: number, title: string) {
  const { charts } = chartsOf(minutes, start + now * MINUTE);
  const series = charts.find((chart) => chart.title === title)?.series ?? [];
  return Object.fromEntries(series.map(({ name, values }) => [name, values]));
}

test('a chart of a young service has its minutes, and none before', () => {
  expect(chartsOf([minuteAt(0)], start + 0.5 * MINUTE).times).toEqual([start]);
  expect(valuesOf([minuteAt(0)], 0.5, 'Requests')).toEqual({ requests: [1] });
  const { times } = chartsOf([minuteAt(0), minuteAt(1)], start + 2.1 * MINUTE);
  expect(times).toEqual([start, start + MINUTE, start + 2 * MINUTE]);
});

test('minutes that are left out had no requests, up to now', () => {
  const minutes = [minuteAt(0), minuteAt(3, { requests: 5 })];
  const { requests } = valuesOf(minutes, 5.9, 'Requests');
  expect(requests).toEqual([1, 0, 0, 5, 0, 0]);
  const { median } = valuesOf(minutes, 5.9, 'Latency');
  expect(median).toEqual([1, null, null, 1, null, null]);
});

test('a chart has at most the last hour', () => {
  const minutes = Array.from({ length: 60 }, (_, at) => minuteAt(at, { requests: at }));
  const { requests } = valuesOf(minutes, 61.5, 'Requests');
  expect(requests).toHaveLength(60);
  expect([requests?.[0], requests?.[57], requests?.[58], requests?.[59]]).toEqual([2, 59, 0, 0]);
});

test('no minutes, and clocks that differ', () => {
  expect(chartsOf([], start).times).toEqual([start]);
  expect(valuesOf([minuteAt(0)], -3, 'Requests')['requests']?.at(-1)).toBe(1);
});

test('each kind is a line, the rarer ones together', () => {
  const terminations = { a: 9, b: 8, c: 7, d: 6, e: 5, f: 2, g: 1 };
  const series = valuesOf([minuteAt(0, { terminations })], 0, 'Cuts: what wirebin terminated');
  expect(Object.entries(series).map(([name, values]) => [name, values.at(-1)])).toEqual([
    ['a', 9],
    ['b', 8],
    ['c', 7],
    ['d', 6],
    ['e', 5],
    ['others', 3],
  ]);
  const faults = { faults: { close: 2 }, chaos: { close: 3 } };
  expect(Object.keys(valuesOf([minuteAt(0, faults)], 0, 'Faults and chaos'))).toEqual([
    'chaos close',
    'close',
  ]);
});
