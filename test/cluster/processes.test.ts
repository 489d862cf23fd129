import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { until } from '../_adapters.ts';
import type { Echo } from '../../src/echo/echo-schema.ts';
import { openClient, transports } from '../_client.ts';
import { echoOf } from '../_echo.ts';
import { type Running } from '../_process.ts';
import { converse, exchange, GET, LAST, openSocket, POST, statusesOf } from '../_raw.ts';
import {
  arrived,
  childrenOf,
  installed,
  metricsOf,
  run,
  serve as serveWith,
  times,
} from './_workers.ts';

// What only processes show; the rest is tested by calls, with workers in the process of the test.
const installation = installed();
const WORKERS = ['--workers', '2', '--log-level', 'trace', '--metrics-enabled'];
const serve = (...args: string[]): Promise<Running> => serveWith(...WORKERS, ...args);

const hasExited = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

/** Whether the response is an echo with its end. */
const isWhole = (text: string): boolean => text.endsWith('}\n');

/** `conn` of the echo of a GET on each of so many connections that are open at the same time. */
async function connsOf(port: number, count: number): Promise<Echo['conn'][]> {
  const sockets = await times(count, async () => openSocket(port));
  return Promise.all(
    sockets.map(async (socket) => {
      const response = await converse(socket, GET('/anything'), isWhole);
      socket.destroy();
      return echoOf(response.slice(response.indexOf('\r\n\r\n'))).conn;
    }),
  );
}

/** Requests, one after the other on the workers, that are open until `complete` sends the rest of them. */
async function openRequests(running: Running, count: number) {
  const before = running.said('request received').length;
  const sockets = await times(count, () => openSocket(running.port));
  const head = POST('/post', 'Content-Length: 2\r\n');
  const responses = sockets.map((socket) => converse(socket, head, isWhole));
  await arrived(running, before + count);
  return {
    /** Of the responses; undefined without one. */
    statuses: async () => (await Promise.all(responses)).map((text) => statusesOf(text).at(-1)),
    complete: () => sockets.forEach((socket) => socket.write('ok')),
  };
}

async function metric(port: number, name: string): Promise<number> {
  const text = await exchange(port, GET('/metrics', LAST));
  return Number(text.split(`\n${name} `)[1]?.split('\n')[0]);
}

test('a life: connections are distributed evenly, a worker is killed and replaced, and a stop completes what is open', async () => {
  const captures = mkdtempSync(join(tmpdir(), 'wirebin-'));
  onTestFinished(() => rmSync(captures, { recursive: true }));
  const running = await serve('--log-requests', '--inspect', '--inspect-file', captures);
  const { port } = running;
  expect(running.lines[0]).toMatchObject({ workers: 2 });
  expect(childrenOf(running)).toHaveLength(2);

  const conns = await connsOf(port, 16);
  expect(new Set(conns.map(({ id }) => id)).size).toBe(16);
  for (const { id, worker } of conns) expect(id).toMatch(new RegExp(`^${worker}-[0-9a-z]+$`));
  for (const one of [1, 2]) expect(conns.filter(({ worker }) => worker === one)).toHaveLength(8);
  await until(() => running.said('request').length === 16);
  const logged = running.said('request').map(({ worker, conn }) => ({ worker, id: conn }));
  const echoed = conns.map(({ worker, id }) => ({ worker, id }));
  expect(logged).toEqual(expect.arrayContaining(echoed));

  for (const transport of transports) {
    const client = openClient(transport, port);
    const { status, body } = await client.request('/anything', { method: 'POST', body: 'content' });
    expect(status).toBe(200);
    expect(JSON.parse(body.toString())).toMatchObject({ conn: { protocol: transport } });
    client.close();
  }
  const socket = await openSocket(port);
  const response = converse(socket, GET('/delay/0.1', LAST));
  socket.end();
  expect(statusesOf(await response).at(-1)).toBe(200);

  const files = readdirSync(captures);
  expect(files).toHaveLength(2);
  for (const file of files) expect(statSync(join(captures, file)).mode & 0o777).toBe(0o600);

  const processes = [running.child.pid ?? 0, ...childrenOf(running)];
  const descriptors = processes.map((pid) => readdirSync(`/proc/${pid}/fd`).length);
  const sum = descriptors.reduce((total, count) => total + count, 0);
  expect(Math.abs((await metric(port, 'process_open_fds')) - sum)).toBeLessThan(10);
  const cpu = await metric(port, 'process_cpu_seconds_total');

  const cut = await openRequests(running, 4);
  const [victim = 0] = childrenOf(running);
  process.kill(victim, 'SIGKILL');
  await until(() => running.said('worker restarted').length === 1);
  const [{ worker, how } = {}] = running.said('worker died');
  expect(how).toBe('SIGKILL');
  cut.complete();
  expect((await cut.statuses()).filter(Boolean)).toEqual([200, 200]);
  const later = await connsOf(port, 4);
  const left = [1, 2, 3].filter((id) => id !== worker);
  expect(new Set(later.map((conn) => conn.worker))).toEqual(new Set(left));
  expect(await metric(port, 'process_cpu_seconds_total')).toBeGreaterThan(cpu);

  const open = await openRequests(running, 4);
  const children = childrenOf(running);
  expect(children).toHaveLength(2);
  running.child.kill('SIGTERM');
  await expect.poll(() => openSocket(port).then(() => 'open', String)).toContain('REFUSED');
  open.complete();
  expect(await open.statuses()).toEqual([200, 200, 200, 200]);
  expect(await running.exit).toBe(0);
  expect(children.filter((child) => !hasExited(child))).toEqual([]);
  expect(running.said('draining')).toMatchObject([{ signal: 'SIGTERM' }]);
  expect(running.said('stopped')).toMatchObject([{ cut: 0 }]);
  expect(running.said('worker died')).toHaveLength(1);
  expect(running.stderr).toBe('');
});

test('SIGINT to the process group, and a worker is killed during the drain: exit code 1', async () => {
  const running = await serve();
  const open = await openRequests(running, 4);
  const children = childrenOf(running);
  process.kill(-(running.child.pid ?? NaN), 'SIGINT');
  await until(() => running.said('draining').length === 1);
  process.kill(children[0] ?? 0, 'SIGKILL');
  await until(() => running.said('worker died').length === 1);
  open.complete();
  expect(await running.exit).toBe(1);
  expect((await open.statuses()).filter(Boolean)).toEqual([200, 200]);
  expect(running.said('stopped; requests may have been aborted')).toHaveLength(1);
  expect(children.filter((pid) => !hasExited(pid))).toEqual([]);
});

test('a stop first makes all workers not ready; at another signal it exits, and they do', async () => {
  const running = await serve('--drain-delay', '60');
  const { port } = running;
  running.child.kill('SIGTERM');
  await until(() => running.said('draining').length === 1);
  const ready = async (): Promise<number[]> => {
    const responses = await times(4, async () => exchange(port, GET('/readyz', LAST)));
    return responses.flatMap(statusesOf);
  };
  await expect.poll(ready).toEqual([503, 503, 503, 503]);
  expect(statusesOf(await exchange(port, GET('/ip', LAST)))).toEqual([200]);
  const open = await openRequests(running, 2);
  const children = childrenOf(running);
  running.child.kill('SIGINT');
  expect(await running.exit).toBe(1);
  expect(await open.statuses()).toEqual([undefined, undefined]);
  await until(() => children.every(hasExited));
});

test('a hanging worker gets no more connections and loses only one when it dies; without the primary all exit', async () => {
  const running = await serve();
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

  await until(() => running.said('worker restarted').length === 1);
  const children = childrenOf(running);
  running.child.kill('SIGKILL');
  await until(() => children.every(hasExited));
});

/** A NODE_OPTIONS variable with which SIGUSR2 rejects a promise, and SIGCONT throws in workers. */
async function failing(): Promise<NodeJS.ProcessEnv> {
  const file = join(installation().root, 'fails.mjs');
  await writeFile(
    file,
    `import cluster from 'node:cluster';
    process.on('SIGUSR2', () => Promise.reject(new Error('stray')));
    if (cluster.isWorker) process.on('SIGCONT', () => { throw new Error('thrown on purpose'); });`,
  );
  return { NODE_OPTIONS: `--import=${file}` };
}

describe('an error without a handler', () => {
  test.each([
    ['one process', '1'],
    ['a primary and its workers', '2'],
  ])('%s: a rejection is logged with its stack and counted', async (_, workers) => {
    const args = ['--metrics-enabled', '--control', 'secret', '--workers', workers];
    const running = run(args, await failing());
    running.fails = true;
    await running.listens();
    const { port } = running;
    const children = childrenOf(running);
    expect(children).toHaveLength(workers === '1' ? 0 : 2);
    const pids = [running.child.pid ?? 0, ...children];
    for (const pid of pids) process.kill(pid, 'SIGUSR2');
    await until(() => running.said('unhandled rejection').length === pids.length);
    for (const { level, err } of running.said('unhandled rejection')) {
      expect(level).toBe('error');
      expect(err).toMatchObject({ message: 'stray', stack: expect.stringMatching(/fails\.mjs/) });
    }
    expect((await metricsOf(port)).all_time.unhandled_rejections).toBe(pids.length);
    expect(running.said('worker died')).toEqual([]);

    // An exception ends a worker, and its last counts are reported.
    await times(10, async () => exchange(port, GET('/ip', LAST)));
    for (const pid of children) process.kill(pid, 'SIGCONT');
    await until(() => running.said('worker restarted').length === children.length);
    for (const { how } of running.said('worker died')) expect(how).toBe('exit code 1');
    const metrics = await exchange(port, GET('/metrics', LAST));
    expect(metrics).toContain('{endpoint="/ip"} 10\n');
    expect(metrics).toContain(`\nwirebin_unhandled_rejections_total ${pids.length}\n`);

    const fields = `Authorization: Bearer secret\r\nContent-Length: 0\r\n${LAST}`;
    const exit = await exchange(port, POST('/control/exit?code=137', fields));
    expect(statusesOf(exit)).toEqual([202]);
    expect(await running.exit).toBe(137);
    expect(running.said('exiting on request')).toMatchObject([{ code: 137 }]);
    expect(running.said('worker died')).toHaveLength(children.length);
  });
});
