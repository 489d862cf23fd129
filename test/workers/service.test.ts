import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import tls from 'node:tls';
import { expect, test } from 'vitest';
import { makeCredentials } from '../../src/wire/certificates.ts';
import { issue, makeAuthority } from '../_certificates.ts';
import { openClient, transports } from '../_client.ts';
import type { Running } from '../_process.ts';
import { converse, exchange, GET, LAST, openSocket, statusesOf } from '../_raw.ts';
import {
  childrenOf,
  connOf,
  contentOf,
  installed,
  metricsOf,
  serve,
  times,
  until,
  type Conn,
} from './_workers.ts';

const installation = installed();

interface Handshake {
  readonly isResumed: boolean;
  readonly fingerprint: string | undefined;
}

async function handshake(port: number, options: tls.ConnectionOptions = {}): Promise<Handshake> {
  const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
  await once(socket, 'secureConnect');
  const fingerprint = socket.getPeerX509Certificate()?.fingerprint256;
  const isResumed = socket.isSessionReused();
  socket.destroy();
  return { isResumed, fingerprint };
}

/** A full handshake, and the session to resume. */
async function sessionOf(port: number, options: tls.ConnectionOptions): Promise<Buffer> {
  const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
  const [session] = (await once(socket, 'session')) as [Buffer];
  expect(socket.isSessionReused()).toBe(false);
  socket.destroy();
  return session;
}

async function fingerprints(port: number): Promise<Set<string | undefined>> {
  const seen = await times(4, async () => handshake(port));
  return new Set(seen.map(({ fingerprint }) => fingerprint));
}

test('one worker is this process, and the echo does not speak of workers', async () => {
  const running = await serve('--workers', '1', '--log-requests');
  expect(childrenOf(running)).toEqual([]);
  const conn = await connOf(running.port);
  expect(conn).not.toHaveProperty('worker');
  expect(conn.id).toBe('1');
  await until(() => running.said('request').length === 1);
  expect(running.lines.filter((line) => 'worker' in line || 'workers' in line)).toEqual([]);
});

test('connections at once are shared evenly, with an id each, and the log tells the worker', async () => {
  const running = await serve('--workers', '2', '--log-requests');
  expect(running.lines[0]).toMatchObject({ workers: 2 });
  expect(childrenOf(running)).toHaveLength(2);
  const sockets = await times(16, async () => openSocket(running.port));
  const conns = await Promise.all(
    sockets.map(async (socket) => {
      const answer = await converse(socket, GET('/anything'), (text) => text.endsWith('}\n'));
      socket.destroy();
      return (JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as { conn: Conn }).conn;
    }),
  );
  expect(new Set(conns.map(({ id }) => id)).size).toBe(16);
  for (const { id, worker } of conns) expect(id).toMatch(new RegExp(`^${worker}-[0-9a-z]+$`));
  expect(conns.filter(({ worker }) => worker === 1)).toHaveLength(8);
  expect(conns.filter(({ worker }) => worker === 2)).toHaveLength(8);
  await until(() => running.said('request').length === 16);
  const logged = running.said('request').map(({ worker, conn }) => ({ worker, id: conn }));
  const told = conns.map(({ worker, id }) => ({ worker, id }));
  expect(logged).toHaveLength(16);
  expect(logged).toEqual(expect.arrayContaining(told));
});

test('every transport, and a client that closes its side first', async () => {
  const { port } = await serve('--workers', '2');
  for (const transport of [...transports, ...transports]) {
    const client = openClient(transport, port);
    const { status, body } = await client.request('/anything', { method: 'POST', body: 'content' });
    expect(status).toBe(200);
    expect(JSON.parse(body.toString())).toMatchObject({ conn: { protocol: transport } });
    client.close();
  }
  const socket = await openSocket(port);
  const answer = converse(socket, GET('/delay/0.3', LAST));
  socket.end();
  expect(statusesOf(await answer).at(-1)).toBe(200);
});

const hasAnswer = (received: string): boolean => received.includes('\r\n\r\nOK');

test('connections are those of all workers', async () => {
  const { port } = await serve('--workers', '2', '--tap');
  const sockets = await times(6, async () => openSocket(port));
  for (const socket of sockets) {
    await converse(socket, GET('/healthz'), hasAnswer);
    await converse(socket, GET('/healthz'), hasAnswer);
  }
  await times(5, async () => exchange(port, GET('/healthz', LAST)));
  // The service hears of a closed connection a moment later, and asking would be counted.
  await pause(500);
  const told = await contentOf<Record<string, unknown>>(port, '/connections');
  expect(told).toMatchObject({
    opens_anew: 0.667,
    reuses: 0.333,
    requests: 18,
    most_concurrent: 1,
  });
  expect(told['connections']).toEqual({ open: 7, closed: 5 });
  const open = told['open'] as { id: string; requests: number }[];
  expect(open.filter(({ requests }) => requests === 2)).toHaveLength(6);
  expect(new Set(open.map(({ id }) => id.split('-')[0]))).toEqual(new Set(['1', '2']));
  for (const socket of sockets) socket.destroy();
});

test('metrics are those of all workers at that moment, in each format', async () => {
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
  });
  const text = await exchange(port, GET('/metrics', `${LAST}Accept: text/plain\r\n`));
  expect(text).toContain('\nwirebin_requests_total 41\n');
  expect(text).toContain('\nwirebin_last_hour_requests 41\n');
  expect(text).toContain('\nwirebin_endpoint_hits_total{endpoint="/other"} 10\n');
});

test('what a worker has counted stays when it has died', async () => {
  const running = await serve('--workers', '2', '--metrics-enabled');
  const { port } = running;
  await times(10, async () => exchange(port, GET('/ip', LAST)));
  await metricsOf(port);
  for (const pid of childrenOf(running)) {
    process.kill(pid, 'SIGKILL');
    await until(() => !childrenOf(running).includes(pid) && childrenOf(running).length === 2);
  }
  await until(() => running.said('a worker has taken the place of one that died').length === 2);
  await times(10, async () => exchange(port, GET('/ip', LAST)));
  const { all_time, last_hour } = await metricsOf(port);
  expect(all_time.endpoint_hits['/ip']).toBe(20);
  // Whether the first /metrics was counted before its worker died is a matter of 200 ms.
  expect(all_time.total_requests - 20).toBeLessThanOrEqual(1);
  expect(last_hour).toEqual(all_time);
});

test.each(['TLSv1.2', 'TLSv1.3'] as const)(
  '%s: every worker resumes the sessions of the others, behind a new certificate too',
  async (version) => {
    const [certFile, keyFile] = [
      join(installation().root, `${version}.crt`),
      join(installation().root, `${version}.key`),
    ];
    const write = async (): Promise<void> => {
      const { cert, key } = await makeCredentials(Date.now());
      await writeFile(certFile, cert);
      await writeFile(keyFile, key, { mode: 0o600 });
    };
    await write();
    const running = await serve('--workers=2', `--tls-cert=${certFile}`, `--tls-key=${keyFile}`);
    const { port } = running;
    const options = { minVersion: version, maxVersion: version } as const;
    const resumed = async (session: Buffer): Promise<number> => {
      let count = 0;
      for (let at = 0; at < 20; at++) {
        if ((await handshake(port, { ...options, session })).isResumed) count++;
      }
      return count;
    };
    const session = await sessionOf(port, options);
    expect(await resumed(session)).toBe(20);
    await write();
    running.child.kill('SIGHUP');
    await until(() => running.said('certificate read again').length === 1);
    expect(await resumed(session)).toBe(20);
    expect(await resumed(await sessionOf(port, options))).toBe(20);
  },
);

test('where client certificates count, a renewal ends what was resumed before it', async () => {
  const authority = await makeAuthority('Test authority');
  const client = await issue('client', { by: authority });
  const ca = join(installation().root, 'ca.crt');
  await writeFile(ca, authority.cert);
  const running = await serve('--workers=2', '--client-cert=require', `--tls-ca=${ca}`);
  const { port } = running;
  const session = await sessionOf(port, client);
  const resumed = async (): Promise<boolean[]> => {
    const seen = await times(4, async () => handshake(port, { ...client, session }));
    return seen.map(({ isResumed }) => isResumed);
  };
  expect(await resumed()).toEqual([true, true, true, true]);
  running.child.kill('SIGHUP');
  await until(() => running.said('certificate read again').length === 1);
  expect(await resumed()).toEqual([false, false, false, false]);
});

test('SIGHUP is for all workers, those that replace others too; the old certificate stays if the new is broken', async () => {
  const [certFile, keyFile] = [
    join(installation().root, 'a.crt'),
    join(installation().root, 'a.key'),
  ];
  const write = async (): Promise<void> => {
    const { cert, key } = await makeCredentials(Date.now());
    await writeFile(certFile, cert);
    await writeFile(keyFile, key, { mode: 0o600 });
  };
  await write();
  const running: Running = await serve(
    '--workers=2',
    `--tls-cert=${certFile}`,
    `--tls-key=${keyFile}`,
  );
  const { port } = running;
  const first = await fingerprints(port);
  expect(first.size).toBe(1);
  await write();
  running.child.kill('SIGHUP');
  await until(() => running.said('certificate read again').length === 1);
  const second = await fingerprints(port);
  expect(second.size).toBe(1);
  expect(second).not.toEqual(first);
  await writeFile(certFile, 'broken');
  running.child.kill('SIGHUP');
  await until(() => running.said('the old certificate stays').length === 1);
  const [victim = 0] = childrenOf(running);
  process.kill(victim, 'SIGKILL');
  await until(() => running.said('a worker has taken the place of one that died').length === 1);
  expect(await fingerprints(port)).toEqual(second);
});

test('a self-signed certificate is one for all workers', async () => {
  const { port } = await serve('--workers', '3');
  expect((await fingerprints(port)).size).toBe(1);
});

test('a worker that does not take connections is passed over, and loses one when it dies', async () => {
  const running = await serve('--workers', '2');
  const { port } = running;
  const [stopped = 0] = childrenOf(running);
  process.kill(stopped, 'SIGSTOP');
  const answers = times(100, async () => exchange(port, GET('/ip', LAST)));
  await pause(500);
  process.kill(stopped, 'SIGKILL');
  // The one that had been sent to it is closed, like those that it had; no other, and none hangs.
  const texts = await answers;
  expect(texts.filter((text) => text === '')).toHaveLength(1);
  expect(texts.flatMap(statusesOf)).toEqual(Array.from({ length: 99 }, () => 200));
});
