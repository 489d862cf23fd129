import { expect, test } from 'vitest';
import { until } from '../_adapters.ts';
import { openClient, type Received } from '../_client.ts';
import { converse, exchange, GET, LAST, openSocket, POST, statusesOf } from '../_raw.ts';
import { replace, startCluster, type Cluster } from './_cluster.ts';
import { connOf, times } from './_workers.ts';

const CONTROL = ['--control', 'secret', '--log-level', 'trace'];

/** On a connection of its own, so that any worker may get it. */
async function post({ port }: Cluster, target: string): Promise<Received> {
  const client = openClient('http/1.1', port);
  const headers = { authorization: 'Bearer secret' };
  const received = await client.request(target, { method: 'POST', headers });
  client.close();
  return received;
}

/** The statuses of /readyz, from every worker. */
async function readiness({ port }: Cluster): Promise<number[]> {
  const responses = await times(4, async () => exchange(port, GET('/readyz', LAST)));
  return responses.flatMap(statusesOf);
}

/** Requests on every worker that are open until `complete` sends the rest of them. */
async function openRequests(cluster: Cluster) {
  const sockets = await times(4, () => openSocket(cluster.port));
  const head = POST('/post', 'Content-Length: 2\r\n');
  const responses = sockets.map((socket) => converse(socket, head));
  await until(() => cluster.said('request received').length >= 4);
  return {
    statuses: async () => (await Promise.all(responses)).map((text) => statusesOf(text).at(-1)),
    complete: () => sockets.forEach((socket) => socket.write('ok')),
  };
}

const untilRefused = (port: number): Promise<void> =>
  expect.poll(async () => openSocket(port).then(() => 'open', String)).toContain('REFUSED');

test('readiness is that of all workers, and of one that is restarted', async () => {
  const cluster = await startCluster(...CONTROL);
  expect((await post(cluster, '/control/ready?ready=false')).status).toBe(200);
  expect(await readiness(cluster)).toEqual([503, 503, 503, 503]);
  await replace(cluster, cluster.workers[0]);
  expect(await readiness(cluster)).toEqual([503, 503, 503, 503]);
  expect((await post(cluster, '/control/ready?ready=true')).status).toBe(200);
  expect(await readiness(cluster)).toEqual([200, 200, 200, 200]);
});

test('before a rehearsed stop closes the port, no worker is ready, nor one that is restarted; a stop takes over', async () => {
  const cluster = await startCluster(...CONTROL);
  const open = await openRequests(cluster);
  expect((await post(cluster, '/control/drain?lag=60&timeout=60')).status).toBe(202);
  expect(await readiness(cluster)).toEqual([503, 503, 503, 503]);
  expect((await post(cluster, '/control/drain')).status).toBe(503);
  const stopped = cluster.primary.drain();
  await untilRefused(cluster.port);
  open.complete();
  expect(await open.statuses()).toEqual([200, 200, 200, 200]);
  expect(await stopped).toBe(0);
  expect(cluster.said('serving again')).toEqual([]);
});

test('a rehearsed stop drains all workers, and all of them serve again, with one for each that died', async () => {
  const cluster = await startCluster(...CONTROL);
  const open = await openRequests(cluster);
  await post(cluster, '/control/drain?timeout=60');
  await untilRefused(cluster.port);
  open.complete();
  expect(await open.statuses()).toEqual([200, 200, 200, 200]);
  await until(() => cluster.said('serving again').length === 1);
  expect(cluster.said('serving again')).toMatchObject([{ cut: 0 }]);
  expect(await readiness(cluster)).toEqual([200, 200, 200, 200]);
  const conns = await times(4, async () => connOf(cluster.port));
  expect(new Set(conns.map(({ worker }) => worker))).toEqual(new Set([1, 2]));

  await openRequests(cluster);
  await post(cluster, '/control/drain?lag=60');
  await replace(cluster, cluster.workers[0]);
  expect(await readiness(cluster)).toEqual([503, 503, 503, 503]);
});

test('a rehearsed stop aborts what takes longer, in all workers', async () => {
  const cluster = await startCluster(...CONTROL);
  const open = await openRequests(cluster);
  await post(cluster, '/control/drain?timeout=0');
  expect(await open.statuses()).toEqual(Array.from({ length: 4 }));
  await until(() => cluster.said('serving again').length === 1);
  expect(cluster.said('serving again')).toMatchObject([{ cut: 4 }]);
});

test.each([0, 1, 137, 255])('/control/exit ends the primary with %d', async (code) => {
  const cluster = await startCluster(...CONTROL);
  const { status, body } = await post(cluster, `/control/exit?code=${code}`);
  expect([status, JSON.parse(body.toString())]).toEqual([202, { code }]);
  await until(() => cluster.exits.length > 0);
  expect(cluster.exits).toEqual([code]);
});
