import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http2';
import { expect, onTestFinished, test, vi } from 'vitest';
import { connectHttp2 } from '../../src/net/http2-sessions.ts';
import { openClient, transports } from '../_client.ts';
import { converse, exchange, GET, LAST, openSocket, statusesOf } from '../_raw.ts';
import {
  childrenOf,
  connOf,
  contentOf,
  installed,
  metricsOf,
  serve,
  served,
  times,
  until,
  type Conn,
} from './_workers.ts';

installed();

test('--workers 1 starts no process, and echo and log have no worker number', async () => {
  const running = await serve('--workers', '1', '--log-requests');
  expect(childrenOf(running)).toEqual([]);
  const conn = await connOf(running.port);
  expect(conn).not.toHaveProperty('worker');
  expect(conn.id).toBe('1');
  await until(() => running.said('request').length === 1);
  expect(running.lines.filter((line) => 'worker' in line || 'workers' in line)).toEqual([]);
});

const two = served('--workers', '2', '--log-requests');

test('concurrent connections are distributed evenly, with unique ids; the log has the worker', async () => {
  const running = two();
  expect(running.lines[0]).toMatchObject({ workers: 2 });
  expect(childrenOf(running)).toHaveLength(2);
  const sockets = await times(16, async () => openSocket(running.port));
  const conns = await Promise.all(
    sockets.map(async (socket) => {
      const response = await converse(socket, GET('/anything'), (text) => text.endsWith('}\n'));
      socket.destroy();
      return (JSON.parse(response.slice(response.indexOf('\r\n\r\n'))) as { conn: Conn }).conn;
    }),
  );
  expect(new Set(conns.map(({ id }) => id)).size).toBe(16);
  for (const { id, worker } of conns) expect(id).toMatch(new RegExp(`^${worker}-[0-9a-z]+$`));
  expect(conns.filter(({ worker }) => worker === 1)).toHaveLength(8);
  expect(conns.filter(({ worker }) => worker === 2)).toHaveLength(8);
  await until(() => running.said('request').length === 16);
  const logged = running.said('request').map(({ worker, conn }) => ({ worker, id: conn }));
  const echoed = conns.map(({ worker, id }) => ({ worker, id }));
  expect(logged).toHaveLength(16);
  expect(logged).toEqual(expect.arrayContaining(echoed));
});

test('every transport, and a client that half-closes its connection', async () => {
  const { port } = two();
  for (const transport of [...transports, ...transports]) {
    const client = openClient(transport, port);
    const { status, body } = await client.request('/anything', { method: 'POST', body: 'content' });
    expect(status).toBe(200);
    expect(JSON.parse(body.toString())).toMatchObject({ conn: { protocol: transport } });
    client.close();
  }
  const socket = await openSocket(port);
  const response = converse(socket, GET('/delay/0.3', LAST));
  socket.end();
  expect(statusesOf(await response).at(-1)).toBe(200);
});

const hasResponse = (received: string): boolean => received.includes('\r\n\r\nOK');

test('/connections covers all workers', async () => {
  const running = await serve('--workers', '2', '--tap', '--log-level', 'trace');
  const { port } = running;
  const sockets = await times(6, async () => openSocket(port));
  for (const socket of sockets) {
    await converse(socket, GET('/healthz'), hasResponse);
    await converse(socket, GET('/healthz'), hasResponse);
  }
  await times(5, async () => exchange(port, GET('/healthz', LAST)));
  await until(() => running.said('connection closed').length === 5);
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
  for (const socket of sockets) socket.destroy();
});

test('/metrics covers all workers and is up to date, in each format', async () => {
  const { port } = await serve('--workers', '2', '--metrics-enabled');
  for (let round = 1; round <= 20; round++) {
    await exchange(port, GET(round % 2 === 0 ? '/ip' : '/nowhere', LAST));
    const { all_time, last_hour } = await metricsOf(port);
    expect(all_time.total_requests).toBe(2 * round - 1);
    expect(last_hour).toEqual(all_time);
  }
  expect((await metricsOf(port)).all_time).toEqual({
    total_requests: 40,
    successes: 30,
    failures: 10,
    endpoint_hits: { '/ip': 10, '/other': 10, '/metrics': 20 },
    faults: {},
    chaos: {},
    unhandled_rejections: 0,
  });
  const text = await exchange(port, GET('/metrics', LAST));
  const transport = 'transport="http/1.1"';
  expect(text).toContain(`\nwirebin_http_requests_total{${transport},status_class="2xx"} 31\n`);
  expect(text).toContain(`\nwirebin_http_requests_total{${transport},status_class="4xx"} 10\n`);
  expect(text).toContain('\nwirebin_http_endpoint_requests_total{endpoint="/other"} 10\n');
  expect(text).toContain(`\nwirebin_http_request_duration_seconds_count{${transport}} 41\n`);
});

test('/metrics adds up the connections and the processes of all workers', async () => {
  const running = await serve('--workers', '2', '--metrics-enabled');
  const { port } = running;
  const sockets = await times(4, async () => openSocket(port));
  for (const socket of sockets) await converse(socket, GET('/healthz'), hasResponse);
  for (const socket of sockets.slice(2)) socket.write(GET('/delay/60'));
  const value = async (sample: string): Promise<number> => {
    const text = await exchange(port, GET('/metrics', LAST));
    return Number(text.split(`\n${sample} `)[1]?.split('\n')[0]);
  };
  const transport = '{transport="http/1.1"}';
  // The request itself is one of them, and the connection of the one before may still be closing.
  await vi.waitUntil(async () => (await value(`wirebin_open_requests${transport}`)) === 3);
  await vi.waitUntil(async () => (await value(`wirebin_open_connections${transport}`)) === 5);
  const processes = [running.child.pid ?? 0, ...childrenOf(running)];
  const descriptors = processes.map((pid) => readdirSync(`/proc/${pid}/fd`).length);
  const sum = descriptors.reduce((total, count) => total + count, 0);
  expect(Math.abs((await value('process_open_fds')) - sum)).toBeLessThan(10);
  const cpu = await value('process_cpu_seconds_total');
  for (const pid of childrenOf(running)) process.kill(pid, 'SIGKILL');
  await until(() => running.said('worker restarted').length === 2);
  expect(await value('process_cpu_seconds_total')).toBeGreaterThan(cpu);
});

test('the counts of a worker are kept after it dies', async () => {
  const running = await serve('--workers', '2', '--metrics-enabled');
  const { port } = running;
  await times(10, async () => exchange(port, GET('/ip', LAST)));
  await metricsOf(port);
  for (const pid of childrenOf(running)) {
    process.kill(pid, 'SIGKILL');
    await until(() => !childrenOf(running).includes(pid) && childrenOf(running).length === 2);
  }
  await until(() => running.said('worker restarted').length === 2);
  await times(10, async () => exchange(port, GET('/ip', LAST)));
  const { all_time, last_hour } = await metricsOf(port);
  expect(all_time.endpoint_hits['/ip']).toBe(20);
  // The first /metrics request may be missing: its worker may have died before its next report.
  expect(all_time.total_requests - 20).toBeLessThanOrEqual(1);
  expect(last_hour).toEqual(all_time);
});

test('a hanging worker gets no more connections and loses only one when it dies', async () => {
  const running = await serve('--workers', '2');
  const { port } = running;
  const [stopped = 0] = childrenOf(running);
  process.kill(stopped, 'SIGSTOP');
  let responded = 0;
  const responses = times(100, async () => {
    const response = await exchange(port, GET('/ip', LAST));
    responded++;
    return response;
  });
  // No more than half of them wait for the hanging worker.
  await until(() => responded >= 50);
  process.kill(stopped, 'SIGKILL');
  // The one connection that was sent to it is closed. All others are served.
  const texts = await responses;
  expect(texts.filter((text) => text === '')).toHaveLength(1);
  expect(texts.flatMap(statusesOf)).toEqual(Array.from({ length: 99 }, () => 200));
});

test.each([
  ['/metrics', '--metrics-enabled'],
  ['/connections', '--tap'],
])('%s for thousands of concurrent requests', async (path, setting) => {
  const running = await serve('--workers', '2', setting);
  const sessions = await times(12, async () => connectHttp2(`http://127.0.0.1:${running.port}`));
  onTestFinished(() => sessions.forEach((session) => session.destroy()));
  const streams = sessions.flatMap((session) =>
    Array.from({ length: 250 }, () => session.request({ ':path': path }).resume()),
  );
  const statuses = await Promise.all(
    streams.map(async (stream) => {
      const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
      return headers[':status'];
    }),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(running.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

test('all workers have the name and the transports of the service', async () => {
  const { port } = await serve('--workers', '2', '--name', 'a', '--transports', 'http/1.1,h2');
  const echoes = await times(4, async () =>
    contentOf<{ instance: string; conn: Conn }>(port, '/get'),
  );
  expect(new Set(echoes.map(({ conn }) => conn.worker)).size).toBe(2);
  expect(echoes.map(({ instance }) => instance)).toEqual(['a', 'a', 'a', 'a']);
  const refused = await times(4, async () => exchange(port, GET('/get'), []));
  expect(refused.flatMap(statusesOf)).toEqual([400, 400, 400, 400]);
});
