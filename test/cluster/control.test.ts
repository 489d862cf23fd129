import { describe, expect, test } from 'vitest';
import { openClient, transports, type Received } from '../_client.ts';
import { exchange, GET, LAST, openSocket, statusesOf } from '../_raw.ts';
import type { Running } from '../_process.ts';
import {
  arrived,
  childrenOf,
  connOf,
  installed,
  run,
  listens,
  serve,
  times,
  until,
} from './_workers.ts';

installed();

const AUTHORIZED = { method: 'POST', headers: { authorization: 'Bearer secret' } };
const CONTROL = ['--control', 'secret', '--log-level', 'trace'];
const WORKERS = [...CONTROL, '--workers', '2'];

/** On a connection of its own, so that any worker may get it. */
async function post({ port }: Running, target: string): Promise<Received> {
  const client = openClient('http/1.1', port);
  const received = await client.request(target, AUTHORIZED);
  client.close();
  return received;
}

/** The statuses of /readyz, from every worker. */
async function readiness({ port }: Running): Promise<number[]> {
  const responses = await times(4, async () => exchange(port, GET('/readyz', LAST)));
  return responses.flatMap(statusesOf);
}

describe('with --workers 2', () => {
  test('readiness is that of all workers, and of one that is restarted', async () => {
    const running = await serve(...WORKERS);
    expect((await post(running, '/control/ready?ready=false')).status).toBe(200);
    expect(await readiness(running)).toEqual([503, 503, 503, 503]);
    process.kill(childrenOf(running)[0] ?? 0, 'SIGKILL');
    await until(() => running.said('worker restarted').length === 1);
    expect(await readiness(running)).toEqual([503, 503, 503, 503]);
    expect((await post(running, '/control/ready?ready=true')).status).toBe(200);
    expect(await readiness(running)).toEqual([200, 200, 200, 200]);
  });

  test('a rehearsed stop drains all workers, and all of them serve again', async () => {
    const running = await serve(...WORKERS);
    const clients = [...transports, ...transports].map((transport) =>
      openClient(transport, running.port),
    );
    await Promise.all(clients.map(async (client) => client.request('/ip')));
    const open = clients.map(async (client) => client.request('/delay/1'));
    await arrived(running, 2 * clients.length);
    expect((await post(running, '/control/drain?lag=0.5&timeout=5')).status).toBe(202);
    expect(await readiness(running)).toEqual([503, 503, 503, 503]);
    expect((await post(running, '/control/drain')).status).toBe(503);
    await expect
      .poll(async () => openSocket(running.port).then(() => 'open', String))
      .toContain('REFUSED');
    expect((await Promise.all(open)).map(({ status }) => status)).toEqual(clients.map(() => 200));
    await until(() => running.said('serving again').length === 1);
    expect(running.said('serving again')).toMatchObject([{ cut: 0 }]);
    expect(await readiness(running)).toEqual([200, 200, 200, 200]);
    const conns = await times(4, async () => connOf(running.port));
    expect(new Set(conns.map(({ worker }) => worker)).size).toBe(2);
    expect(running.said('worker died')).toEqual([]);
    for (const client of clients) client.close();
  });

  test('it aborts what takes longer, in all workers', async () => {
    const running = await serve(...WORKERS);
    const clients = Array.from({ length: 4 }, () => openClient('http/1.1', running.port));
    const open = clients.map(async (client) => client.request('/delay/60').catch(() => 'aborted'));
    await arrived(running, 4);
    await post(running, '/control/drain?timeout=0.2');
    expect(await Promise.all(open)).toEqual(clients.map(() => 'aborted'));
    await until(() => running.said('serving again').length === 1);
    expect(running.said('serving again')).toMatchObject([{ cut: 4 }]);
  });

  test('SIGTERM takes over from it', async () => {
    const running = await serve(...WORKERS);
    const client = openClient('http/1.1', running.port);
    const open = client.request('/delay/1');
    await arrived(running, 1);
    await post(running, '/control/drain?timeout=60');
    running.child.kill('SIGTERM');
    expect((await open).status).toBe(200);
    client.close();
    expect(await running.exit).toBe(0);
    expect(running.said('serving again')).toEqual([]);
  });

  test('a worker that dies during it is replaced', async () => {
    const running = await serve(...WORKERS);
    await post(running, '/control/drain?lag=2');
    process.kill(childrenOf(running)[0] ?? 0, 'SIGKILL');
    await until(() => running.said('worker restarted').length === 1);
    expect(await readiness(running)).toEqual([503, 503, 503, 503]);
    await until(() => running.said('serving again').length === 1);
    expect(await readiness(running)).toEqual([200, 200, 200, 200]);
  });
});

describe.each([
  ['one process', CONTROL],
  ['two workers', WORKERS],
])('/control/exit in %s', (_name, args) => {
  test.each([0, 1, 137, 255])('ends with %d after its response', async (code) => {
    const running = await serve(...args);
    const { status, body } = await post(running, `/control/exit?code=${code}`);
    expect([status, JSON.parse(body.toString())]).toEqual([202, { code }]);
    expect(await running.exit).toBe(code);
    expect(running.said('exiting on request')).toMatchObject([{ code }]);
    expect(running.said('worker died')).toEqual([]);
    expect(running.stderr).toBe('');
  });
});

test('WIREBIN_CONTROL is the same, and /env does not have it', async () => {
  const running = run(['--env-prefix', 'WIREBIN_'], { WIREBIN_CONTROL: 'secret' });
  await listens(running);
  const env = await exchange(running.port, GET('/env', LAST));
  expect(env).not.toContain('secret');
  expect(env).not.toContain('CONTROL');
  expect((await post(running, '/control/ready')).status).toBe(200);
});

test('a wrong one is one line without it, and exit code 2', async () => {
  const running = run(['--control', 'sec ret']);
  expect(await running.exit).toBe(2);
  expect(running.stderr).toMatch(/^wirebin: --control \(WIREBIN_CONTROL\) cannot be this; .*\n$/);
  expect(running.stderr + running.stdout).not.toContain('sec ret');
});
