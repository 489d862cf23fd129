import { Socket } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { Problem } from '../../src/http/problem.ts';
import { TcpConnection } from '../../src/net/tcp-connection.ts';
import { InvalidProxyHeader } from '../../src/wire/proxy-protocol/header.ts';
import { endpoint, type Endpoint } from '../../src/server/endpoint.ts';
import { anyText } from '../../src/server/params.ts';
import { empty } from '../../src/server/reply.ts';
import { addDuration, noDurations } from '../../src/telemetry/durations.ts';
import { Metrics, metricsKey } from '../../src/telemetry/metrics.ts';
import { prometheusText } from '../../src/telemetry/prometheus.ts';
import {
  emptyMetrics,
  emptyStatistics,
  statisticsSince,
  transportTally,
  type Statistics,
} from '../../src/telemetry/statistics.ts';
import { FakeExchange } from '../_exchange.ts';

const MINUTE = 60_000;
const connection = new TcpConnection(new Socket());

function at(path: '/bytes/{n}' | '/cookies/{n}', id: string): Endpoint {
  const params = { n: anyText() };
  const rest = { group: 'content', summary: '', responses: {}, handle: () => empty(204) } as const;
  return endpoint({ id, methods: ['GET'], path, params, ...rest });
}

const bytes = at('/bytes/{n}', 'bytes');

function fakeClock(start = 0): { now: number; read: () => number } {
  const clock = { now: start, read: () => clock.now };
  return clock;
}

test('a rejected message is counted if it has a response', () => {
  const metrics = new Metrics();
  metrics.rejected(connection, new Error('streams 1 to 3 never became requests'));
  metrics.rejected(connection, new Problem('invalid-message', 'Invalid header token'));
  expect(metrics.view().all_time).toMatchObject({
    total_requests: 1,
    failures: 1,
    proxy_faults: {},
  });
});

test.each([
  ['/', '/'],
  ['/healthz', '/healthz'],
  ['/bytes/{n}', '/bytes/:n'],
  ['/a/{x}/b/{y}', '/a/:x/b/:y'],
  ['/anything/*path', '/anything/*path'],
])('the key of %s is %s', (path, key) => {
  expect(metricsKey(path)).toBe(key);
});

describe('count()', () => {
  test.each([
    [200, 1, 0],
    [204, 1, 0],
    [299, 1, 0],
    [302, 0, 0],
    [304, 0, 0],
    [399, 0, 0],
    [400, 0, 1],
    [404, 0, 1],
    [503, 0, 1],
    [599, 0, 1],
    [undefined, 0, 0],
  ])('%s: success %i, failure %i', (status, successes, failures) => {
    const metrics = new Metrics();
    metrics.count('h2c', bytes, status);
    const name = status === undefined ? 'none' : `${String(status)[0]}xx`;
    const transports = { h2c: { statuses: { [name]: 1 }, durations: noDurations() } };
    const endpoint_hits = { '/bytes/:n': 1 };
    const counts = { total_requests: 1, successes, failures, endpoint_hits, transports };
    const expected = { ...emptyStatistics(), ...counts };
    expect(metrics.view()).toEqual({ all_time: expected, last_hour: expected });
  });

  test('requests without an endpoint count as /other, endpoints with the same path share a key', () => {
    const metrics = new Metrics();
    for (let n = 0; n < 1000; n++) metrics.count('h2c', undefined, 404);
    metrics.count('h2c', at('/cookies/{n}', 'one'), 200);
    metrics.count('h2c', at('/cookies/{n}', 'two'), 302);
    expect(metrics.view().all_time).toEqual({
      ...emptyStatistics(),
      total_requests: 1002,
      successes: 1,
      failures: 1000,
      endpoint_hits: { '/other': 1000, '/cookies/:n': 2 },
      transports: {
        h2c: { statuses: { '4xx': 1000, '2xx': 1, '3xx': 1 }, durations: noDurations() },
      },
    });
  });

  test('everything is 0 before the first request', () => {
    expect(new Metrics().view()).toEqual({
      all_time: emptyStatistics(),
      last_hour: emptyStatistics(),
    });
  });
});

test('the duration of a request ends when it is finished, on its transport', () => {
  const exchange = new FakeExchange('/', { version: 'HTTP/2.0', receivedAt: 1000 });
  const metrics = new Metrics(undefined, () => 1250);
  metrics.finished(exchange);
  const durations = noDurations();
  addDuration(durations, 0.25);
  expect(metrics.view().last_hour.transports).toEqual({ h2c: { statuses: {}, durations } });
});

test('no counter of durations decreases when minutes expire', () => {
  const clock = fakeClock();
  const metrics = new Metrics(undefined, clock.read);
  for (let minute = 0; minute < 60; minute++) {
    clock.now = minute * MINUTE;
    const tally = emptyStatistics();
    addDuration(transportTally(tally, 'h2').durations, 0.1 + minute / 1000);
    metrics.add(tally);
  }
  const sum = (): number =>
    Number(
      /_sum{transport="h2"} (.*)/.exec(
        prometheusText({ ...emptyMetrics(), ...metrics.view() }),
      )?.[1],
    );
  const first = sum();
  expect(first).toBeCloseTo(7.77, 9);
  for (let minute = 60; minute < 130; minute++) {
    clock.now = minute * MINUTE;
    expect(sum()).toBe(first);
  }
});

/** Counts one request at each of the given minutes. @returns the total of the last hour at `viewAt` */
function hourAfter(minutes: number[], viewAt: number): number {
  const clock = fakeClock();
  const metrics = new Metrics(undefined, clock.read);
  for (const minute of minutes) {
    clock.now = minute * MINUTE;
    metrics.count('h2c', bytes, 200);
  }
  clock.now = viewAt * MINUTE;
  const { all_time, last_hour } = metrics.view();
  expect(all_time).toMatchObject({ total_requests: minutes.length, successes: minutes.length });
  expect(last_hour.successes).toBe(last_hour.total_requests);
  return last_hour.total_requests;
}

function each(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, n) => from + n);
}

describe('the last hour', () => {
  test.each<[title: string, minutes: number[], viewAt: number, expected: number]>([
    ['the current minute', [0], 0.999, 1],
    ['the sixtieth minute', [0], 59.999, 1],
    ['expired after 60 minutes', [0], 60, 0],
    ['one request per minute', each(0, 60), 59, 60],
    ['the oldest minute expires first', each(0, 61), 60, 60],
    ['three hours', each(0, 180), 179, 60],
    ['a gap within the hour', [0, 45], 50, 2],
    ['a gap after which the first minute has expired', [0, 45], 65, 1],
    ['a gap of exactly an hour', [0, 60], 60, 1],
    ['a gap of more than an hour', [0, 1, 2, 5000], 5000, 1],
    ['no requests for more than an hour', [0, 1, 2], 5000, 0],
    ['gaps of 60 minutes', [7, 67, 127], 127, 1],
    ['several in a minute', [3, 3.1, 3.2, 3.999, 4], 4, 5],
    ['a start within a minute', [1234.5], 1293.9, 1],
    ['a start within a minute, expired', [1234.5], 1294, 0],
  ])('%s', (_, minutes, viewAt, expected) => {
    expect(hourAfter(minutes, viewAt)).toBe(expected);
  });

  test('reading does not change it', () => {
    const clock = fakeClock();
    const metrics = new Metrics(undefined, clock.read);
    metrics.count('h2c', bytes, 200);
    for (let minute = 0; minute < 60; minute++) {
      clock.now = minute * MINUTE;
      expect(metrics.view().last_hour.total_requests).toBe(1);
    }
    clock.now = 60 * MINUTE;
    expect(metrics.view().last_hour.total_requests).toBe(0);
    expect(metrics.view().all_time.total_requests).toBe(1);
  });

  test('no request is lost if the clock goes back', () => {
    const clock = fakeClock(10 * MINUTE);
    const metrics = new Metrics(undefined, clock.read);
    metrics.count('h2c', bytes, 200);
    clock.now = 5 * MINUTE;
    metrics.count('h2c', bytes, 200);
    expect(metrics.view().last_hour.total_requests).toBe(2);
  });
});

test('each minute of the history has what was counted in it, and when it began', () => {
  vi.useFakeTimers({ now: Date.parse('2026-01-01T10:00:30Z'), toFake: ['Date'] });
  try {
    const clock = fakeClock(MINUTE);
    const metrics = new Metrics(undefined, clock.read);
    metrics.opened(connection);
    metrics.detected(connection);
    metrics.count('h2', bytes, 200);
    metrics.count('http/1.1', bytes, 200);
    metrics.count('http/1.1', bytes, undefined);
    clock.now = 3.5 * MINUTE;
    const other = emptyStatistics();
    addDuration(transportTally(other, 'h2').durations, 0.025);
    metrics.add(other);
    metrics.terminated('stalled');
    const nothing = { faults: {}, chaos: {}, terminations: {} };
    expect(metrics.history().minutes).toEqual([
      {
        start: '2026-01-01T09:58:00.000Z',
        requests: 3,
        statuses: { '2xx': 2, none: 1 },
        duration_ms: null,
        connections: 1,
        ...nothing,
      },
      {
        start: '2026-01-01T10:00:00.000Z',
        requests: 0,
        statuses: {},
        duration_ms: { mean: 25, p50: 17.5, p99: 24.85 },
        connections: 0,
        ...nothing,
        terminations: { stalled: 1 },
      },
    ]);
    clock.now = 62 * MINUTE;
    expect(metrics.history().minutes.map(({ requests }) => requests)).toEqual([0, 0]);
  } finally {
    vi.useRealTimers();
  }
});

describe('counts of other processes', () => {
  test('adds the increase since the previous report, once', () => {
    const [one, sum] = [new Metrics(), new Metrics()];
    one.opened(connection);
    one.closed(connection);
    one.handshakeFailed();
    let previous: Statistics = emptyStatistics();
    const report = (): void => {
      const { all_time } = one.view();
      sum.add(statisticsSince(previous, all_time));
      previous = all_time;
    };
    one.count('h2c', bytes, 200);
    one.count('h2c', undefined, 404);
    one.rejected(connection, new InvalidProxyHeader('missing'));
    one.unhandledRejection();
    report();
    report();
    one.count('h2c', bytes, 500);
    one.rejected(connection, new InvalidProxyHeader('missing'));
    one.rejected(connection, new InvalidProxyHeader('v1-port'));
    one.count('http/1.1', at('/cookies/{n}', 'cookies'), 302);
    one.finished(new FakeExchange('/'));
    report();
    one.finished(new FakeExchange('/', { version: 'HTTP/2.0' }));
    report();
    expect(sum.view()).toEqual(one.view());
    expect(sum.view().all_time.proxy_faults).toEqual({ missing: 2, 'v1-port': 1 });
  });

  test('are added to our own and expire like them', () => {
    const clock = fakeClock();
    const [other, sum] = [new Metrics(undefined, clock.read), new Metrics(undefined, clock.read)];
    other.count('h2c', undefined, 404);
    other.count('h2c', bytes, 200);
    sum.count('h2c', bytes, 204);
    sum.rejected(connection, new InvalidProxyHeader('missing'));
    other.rejected(connection, new InvalidProxyHeader('missing'));
    sum.terminated('stalled');
    other.terminated('stalled');
    sum.add(other.view().all_time);
    const both = {
      ...emptyStatistics(),
      total_requests: 3,
      successes: 2,
      failures: 1,
      endpoint_hits: { '/other': 1, '/bytes/:n': 2 },
      transports: { h2c: { statuses: { '4xx': 1, '2xx': 2 }, durations: noDurations() } },
      proxy_faults: { missing: 2 },
      terminations: { stalled: 2 },
    };
    expect(sum.view()).toEqual({ all_time: both, last_hour: both });
    clock.now = 60 * MINUTE;
    expect(sum.view()).toEqual({ all_time: both, last_hour: emptyStatistics() });
  });
});
