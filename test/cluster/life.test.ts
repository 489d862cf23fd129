import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { until } from '../_adapters.ts';
import { openClient, transports } from '../_client.ts';
import { Cluster, startCluster, type FakeWorker } from './_cluster.ts';
import { connOf, times } from './_workers.ts';

async function fails(cluster: Cluster, message: string): Promise<void> {
  await expect(cluster.start()).rejects.toThrow(message);
  expect(cluster.workers.filter(({ hasExited }) => !hasExited)).toEqual([]);
}

describe('a failed start says why, and leaves no worker', () => {
  test('a port in use', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const cluster = new Cluster(['--port', String(port)]);
    await fails(cluster, `port ${port} is in use at 127.0.0.1`);
    expect(cluster.workers).toHaveLength(2);
  });

  test.each([
    [['--tls-cert=/no/cert.pem', '--tls-key=/no/key.pem'], 'cannot read /no/'],
    [['--tls-keylog=/no/log'], 'the TLS key log cannot be opened: '],
    [['--inspect', '--inspect-file=/no/parent/dir'], 'the capture cannot be created: ENOENT: '],
  ])('%j', async (args, message) => {
    await fails(new Cluster(args), message);
  });

  test('a worker that exits', async () => {
    const cluster = new Cluster([]);
    cluster.onForked = (worker) => worker.die(7);
    await fails(cluster, 'exited during startup: exit code 7');
  });
});

test('a worker that cannot be forked is tried again', async () => {
  const cluster = await startCluster();
  let failures = 0;
  cluster.onFork = () => {
    if (failures++ === 0) throw new Error('spawn ENOMEM');
  };
  cluster.workers[0]?.die(null, 'SIGKILL');
  await until(() => cluster.said('worker restarted').length === 1);
  expect(cluster.said('worker died')).toMatchObject([{ worker: 1, how: 'SIGKILL' }]);
  expect(cluster.said('worker cannot start')).toMatchObject([{ detail: 'spawn ENOMEM' }]);
});

test('while workers die at their start, the others serve', async () => {
  const cluster = await startCluster();
  cluster.onForked = (worker) => worker.die(7);
  cluster.workers[0]?.die(null, 'SIGKILL');
  await until(() => cluster.said('worker cannot start').length >= 2);
  const conns = await times(4, () => connOf(cluster.port));
  expect(conns.map(({ worker }) => worker)).toEqual([2, 2, 2, 2]);
});

/** Opens a request on each transport, twice, so that every worker has some. */
async function openRequests(cluster: Cluster): Promise<Promise<number | string>[]> {
  const clients = [...transports, ...transports].map((transport) =>
    openClient(transport, cluster.port),
  );
  onTestFinished(() => clients.forEach((client) => client.close()));
  const results = clients.map(async (client) =>
    client.request('/delay/300').then(
      ({ status }) => status,
      () => 'aborted',
    ),
  );
  await until(() => cluster.said('request received').length === clients.length);
  return results;
}

describe('a stop', () => {
  const TRACE = ['--log-level', 'trace'];

  test('aborts requests after the timeout and counts those of all workers', async () => {
    const cluster = await startCluster(...TRACE, '--drain-timeout', '0');
    const results = await openRequests(cluster);
    expect(await cluster.primary.drain()).toBe(8);
    expect(new Set(await Promise.all(results))).toEqual(new Set(['aborted']));
    expect(cluster.workers.every(({ hasExited }) => hasExited)).toBe(true);
    expect(cluster.said('worker died')).toEqual([]);
  });

  test.each([
    ['dies', (worker?: FakeWorker) => worker?.die(null, 'SIGKILL')],
    ['hangs', (worker?: FakeWorker) => worker?.stop()],
  ])('fails if a worker %s meanwhile, and leaves none', async (_, act) => {
    const cluster = new Cluster([...TRACE, '--drain-timeout', '0']);
    await cluster.start(20);
    const results = await openRequests(cluster);
    const stopped = cluster.primary.drain();
    act(cluster.workers[0]);
    await expect(stopped).rejects.toThrow('a worker did not finish');
    await Promise.all(results);
    expect(cluster.workers.every(({ hasExited }) => hasExited)).toBe(true);
  });
});
