import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { JavaScriptSocket } from '../../src/net/javascript-socket.ts';
import { turns } from '../../src/net/scheduler.ts';
import { until } from '../_adapters.ts';
import { socketPair } from './_sockets.ts';

/** A client's socket, the server's, and a socket that reads from and writes to the server's. */
async function openWrapped() {
  const [client, inner] = await socketPair();
  return { client, inner, socket: new JavaScriptSocket(inner) };
}

async function textOf(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('latin1').on('data', (part: string) => (text += part));
  await once(socket, 'end');
  return text;
}

test('passes bytes and ends on, each direction by itself', async () => {
  const { client, inner, socket } = await openWrapped();
  client.end('request');
  expect(await textOf(socket)).toBe('request');
  expect(inner.writable).toBe(true);
  socket.cork();
  socket.write('re');
  socket.write('sponse');
  socket.uncork();
  socket.end('!');
  expect(await textOf(client)).toBe('response!');
});

test('reads no more than it is asked for', async () => {
  const { client, inner, socket } = await openWrapped();
  const size = 4 * 1024 * 1024;
  client.end(Buffer.alloc(size));
  await once(socket, 'readable');
  // Nothing reads: the inner socket is paused once the buffer is full.
  while (!inner.isPaused()) await once(inner, 'pause');
  expect(socket.readableLength).toBeLessThan(1024 * 1024);
  expect(await textOf(socket)).toHaveLength(size);
  socket.destroy();
});

test('as much as is read at once waits for its turn, and what follows waits for that', async () => {
  const { inner, socket } = await openWrapped();
  const lengths: number[] = [];
  socket.on('data', ({ length }: Buffer) => lengths.push(length));
  await nextTurn();
  turns.run(() => {
    const end = performance.now() + 2;
    while (performance.now() < end);
  });
  inner.push(Buffer.alloc(64 * 1024));
  inner.push(Buffer.alloc(10));
  expect(lengths).toEqual([]);
  await until(() => lengths.length === 2);
  expect(lengths).toEqual([64 * 1024, 10]);
  socket.destroy();
});

test('what is written after the end of the inner socket is dropped without an error', async () => {
  const { inner, socket } = await openWrapped();
  inner.end();
  await new Promise<void>((resolve, reject) => {
    socket.write('late', (error) => (error ? reject(error) : resolve()));
  });
  socket.end();
  await once(socket, 'finish');
  inner.destroy();
});

test('is destroyed with the inner socket, and destroys it', async () => {
  const one = await openWrapped();
  one.inner.destroy();
  await once(one.socket, 'close');
  expect(one.socket.destroyed).toBe(true);
  const other = await openWrapped();
  other.socket.destroy();
  await once(other.inner, 'close');
  expect(other.inner.destroyed).toBe(true);
});

test('an error of the inner socket is its error', async () => {
  const { client, socket } = await openWrapped();
  socket.resume();
  client.resetAndDestroy();
  const [error] = await once(socket, 'error');
  expect(error).toHaveProperty('code', 'ECONNRESET');
});

test('detach: leaves the inner socket alone', async () => {
  const { client, inner, socket } = await openWrapped();
  socket.write('before ');
  await new Promise((resolve) => {
    socket.write('the end', resolve);
  });
  socket.detach();
  socket.write('dropped');
  socket.end();
  socket.destroy();
  await once(socket, 'close');
  expect(inner.destroyed).toBe(false);
  inner.end('.');
  expect(await textOf(client)).toBe('before the end.');
});

test('detach: what is written together after it is dropped', async () => {
  const { inner, socket } = await openWrapped();
  socket.detach();
  socket.cork();
  socket.write('one ');
  const written = new Promise((resolve) => {
    socket.write('two', resolve);
  });
  socket.uncork();
  await written;
  expect(inner.bytesWritten).toBe(0);
});

test('an end waits for the bytes before it that wait for their turn', async () => {
  const { inner, socket } = await openWrapped();
  let length = 0;
  socket.on('data', (bytes: Buffer) => (length += bytes.length));
  await nextTurn();
  turns.run(() => {
    const end = performance.now() + 2;
    while (performance.now() < end);
  });
  inner.push(Buffer.alloc(64 * 1024));
  inner.emit('end');
  await once(socket, 'end');
  expect(length).toBe(64 * 1024);
  socket.destroy();
});
