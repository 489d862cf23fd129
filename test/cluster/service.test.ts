import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http2';
import { expect, onTestFinished, test } from 'vitest';
import { connectHttp2 } from '../../src/net/http2-sessions.ts';
import { until } from '../_adapters.ts';
import { converse, exchange, GET, LAST, openSocket, statusesOf } from '../_raw.ts';
import { replace, startCluster } from './_cluster.ts';
import type { Echo } from '../../src/echo/echo-schema.ts';
import type { History } from '../../src/telemetry/history-schema.ts';
import type { Connections } from '../../src/telemetry/connections-schema.ts';
import { metricsOf, times } from './_workers.ts';
import { contentOf } from '../_walk.ts';

const hasResponse = (received: string): boolean => received.includes('\r\n\r\nOK');

test('/connections covers all workers', async () => {
  const cluster = await startCluster('--tap', '--log-level', 'trace');
  const { port } = cluster;
  const sockets = await times(6, async () => openSocket(port));
  for (const socket of sockets) {
    await converse(socket, GET('/healthz'), hasResponse);
    await converse(socket, GET('/healthz'), hasResponse);
  }
  await times(5, async () => exchange(port, GET('/healthz', LAST)));
  await until(() => cluster.said('connection closed').length === 5);
  const view = await contentOf<Record<string, unknown>>(port, '/connections');
  expect(view).toMatchObject({
    opens_anew: 0.667,
    reuses: 0.333,
    requests: 18,
    most_concurrent: 1,
  });
  expect(view['connections']).toEqual({ open: 7, closed: 5 });
  const open = view['open'] as { id: string; requests: number }[];
  expect(open.filter(({ requests }) => requests === 2)).toHaveLength(6);
  expect(new Set(open.map(({ id }) => id.split('-')[0]))).toEqual(new Set(['1', '2']));
  const listed = await contentOf<Connections>(port, '/connections?closed=5');
  expect(listed.closed?.map(({ requests }) => requests)).toEqual([1, 1, 1, 1, 1]);
  expect(new Set(listed.closed?.map(({ id }) => id.split('-')[0]))).toEqual(new Set(['1', '2']));
});

test('/metrics covers all workers and is up to date, in each format', async () => {
  const { port } = await startCluster('--metrics-enabled');
  for (let round = 1; round <= 10; round++) {
    await exchange(port, GET(round % 2 === 0 ? '/ip' : '/nowhere', LAST));
    const { all_time, last_hour } = await metricsOf(port);
    expect(all_time.total_requests).toBe(2 * round - 1);
    expect(last_hour).toEqual(all_time);
  }
  expect((await metricsOf(port)).all_time).toEqual({
    total_requests: 20,
    successes: 15,
    failures: 5,
    endpoint_hits: { '/ip': 5, '/other': 5, '/metrics': 10 },
    faults: {},
    chaos: {},
    grpc: {},
    unhandled_rejections: 0,
  });
  const text = await exchange(port, GET('/metrics', LAST));
  const transport = 'transport="http/1.1"';
  expect(text).toContain(`\nwirebin_http_requests_total{${transport},status_class="2xx"} 16\n`);
  expect(text).toContain(`\nwirebin_http_requests_total{${transport},status_class="4xx"} 5\n`);
  expect(text).toContain('\nwirebin_http_endpoint_requests_total{endpoint="/other"} 5\n');
  expect(text).toContain(`\nwirebin_http_request_duration_seconds_count{${transport}} 21\n`);
  const history = await contentOf<History>(port, '/metrics/history');
  expect(history.minutes.reduce((sum, { requests }) => sum + requests, 0)).toBe(22);
});

test('/metrics adds up the connections of all workers', async () => {
  const cluster = await startCluster('--metrics-enabled');
  const { port } = cluster;
  const sockets = await times(4, async () => openSocket(port));
  for (const socket of sockets) await converse(socket, GET('/healthz'), hasResponse);
  for (const socket of sockets.slice(2)) socket.write(GET('/delay/60'));
  const value = async (sample: string): Promise<number> => {
    const text = await exchange(port, GET('/metrics', LAST));
    return Number(text.split(`\n${sample} `)[1]?.split('\n')[0]);
  };
  const transport = '{transport="http/1.1"}';
  // The request itself is one of them, and the connection of the one before may still be closing.
  await expect.poll(() => value(`wirebin_open_requests${transport}`)).toBe(3);
  await expect.poll(() => value(`wirebin_open_connections${transport}`)).toBe(5);
});

test('the counts of a worker are kept after it dies', async () => {
  const cluster = await startCluster('--metrics-enabled');
  const { port } = cluster;
  await times(10, async () => exchange(port, GET('/ip', LAST)));
  await metricsOf(port);
  for (const worker of cluster.workers.slice()) await replace(cluster, worker);
  await times(10, async () => exchange(port, GET('/ip', LAST)));
  const { all_time, last_hour } = await metricsOf(port);
  expect(all_time.endpoint_hits['/ip']).toBe(20);
  // The first /metrics request may be missing: its worker may have died before its next report.
  expect(all_time.total_requests - 20).toBeLessThanOrEqual(1);
  expect(last_hour).toEqual(all_time);
});

test('a connection that could not be sent to its worker gets another one', async () => {
  const cluster = await startCluster();
  const { port } = cluster;
  const [worker] = cluster.workers;
  if (!worker) throw new Error('no worker');
  const send = worker.send.bind(worker);
  worker.send = (...message) => {
    if (message[1]) worker.die(null, 'SIGKILL');
    send(...message);
  };
  const responses = await times(2, async () => exchange(port, GET('/ip', LAST)));
  expect(responses.flatMap(statusesOf)).toEqual([200, 200]);
  expect(cluster.said('worker died')).toHaveLength(1);
});

test.each([
  ['/metrics', 'metrics', '--metrics-enabled'],
  ['/connections', 'connections', '--tap'],
])('%s: requests at the same time share what the primary is asked', async (path, type, setting) => {
  const cluster = await startCluster('--workers', '1', '--log-level', 'trace', setting);
  const [worker] = cluster.workers;
  const session = connectHttp2(`http://127.0.0.1:${cluster.port}`);
  onTestFinished(() => session.destroy());
  await once(session, 'connect');
  await until(() => cluster.said('connection opened').length === 1);
  worker?.stop();
  const streams = Array.from({ length: 50 }, () => session.request({ ':path': path }).resume());
  const statuses = streams.map(async (stream) => {
    const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
    return headers[':status'];
  });
  await until(() => cluster.said('request received').length === 50);
  worker?.continue();
  expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]));
  // One, and another for what came meanwhile; what waits for its turn may cause more.
  expect(worker?.asked.filter((asked) => asked === type).length).toBeLessThan(10);
  expect(cluster.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

test('all workers have the name and the transports of the service', async () => {
  const { port } = await startCluster('--name', 'a', '--transports', 'http/1.1,h2');
  const echoes = await times(4, async () => contentOf<Echo>(port, '/get'));
  expect(new Set(echoes.map(({ conn }) => conn.worker)).size).toBe(2);
  expect(echoes.map(({ instance }) => instance)).toEqual(['a', 'a', 'a', 'a']);
  const refused = await times(4, async () => exchange(port, GET('/get'), []));
  expect(refused.flatMap(statusesOf)).toEqual([400, 400, 400, 400]);
});
