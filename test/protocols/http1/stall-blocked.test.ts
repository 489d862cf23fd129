import { once } from 'node:events';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { bytes } from '../../../src/endpoints/bytes.ts';
import { startAdapters, until } from '../../_adapters.ts';
import { GET, LAST } from '../../_raw.ts';

const LENGTH = 10 * 1024 * 1024;
/** Milliseconds, more than a busy machine takes for the pause below. */
const LIMIT = 1000;
/** Requests, and reads once it is told to, from another thread. */
const CLIENT = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { port, request } = workerData;
  const socket = require('node:net').connect(port, '127.0.0.1');
  let received = 0;
  socket.on('error', () => {}).on('close', () => parentPort.postMessage(received));
  socket.write(request);
  parentPort.once('message', () => socket.on('data', (bytes) => { received += bytes.length; }));`;

test('what a client reads while the event loop is blocked counts', async () => {
  const adapters = await startAdapters({ stallTimeout: LIMIT, maxBodySize: LENGTH }, [bytes]);
  onTestFinished(() => adapters.close());
  const path = `/bytes/${LENGTH}`;
  // More than the kernel takes for a client that does not read.
  const request = GET(path).repeat(3) + GET(path, LAST);
  const client = new Worker(CLIENT, { eval: true, workerData: { port: adapters.port, request } });
  onTestFinished(async () => void (await client.terminate()));
  await until(() =>
    [...adapters.listener.connections].some(({ socket }) => socket.writableLength > 0),
  );
  // Until the kernel takes no more, and a sweep has seen it.
  await pause(100);
  const closed = once(client, 'message');
  // After the immediates of an iteration, timers come before reads and writes.
  await turn();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker, and no window
  client.postMessage('read');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1.5 * LIMIT);
  const [received] = await closed;
  expect(received).toBeGreaterThan(4 * LENGTH);
});
