import { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Connection } from '../../src/net/connection.ts';
import { until } from '../_adapters.ts';
import { preface } from './_client-prefaces.ts';
import { socketPair } from './_sockets.ts';

test("captured first bytes are copies, not slices of Node's buffers", () => {
  const own = Buffer.alloc(64 * 1024, 'a');
  const connection = new Connection(new Socket());
  connection.captureFirstBytes('h1', own.subarray(100, 200));
  expect(connection.firstBytes).toEqual(own.subarray(0, 100));
  expect(connection.firstBytes?.buffer.byteLength).toBe(100);
  connection.captureFirstBytes('h1', own);
  expect(connection.firstBytes).toHaveLength(8 * 1024);
  expect(connection.firstBytes?.buffer.byteLength).toBe(8 * 1024);
  own.set(preface('curl'));
  connection.captureFirstBytes('h2', own.subarray(0, preface('curl').length));
  expect(connection.clientPreface?.bytes.buffer.byteLength).toBe(
    connection.clientPreface?.bytes.length,
  );
});

test('the first bytes of HTTP/1.x are dropped after the first response', () => {
  const connection = new Connection(new Socket());
  connection.captureFirstBytes('h1', Buffer.from('GET / HTTP/1.1'));
  connection.requestStarted();
  expect(connection.firstBytes).toBeDefined();
  connection.requestFinished();
  expect(connection.firstBytes).toBeUndefined();
});

test('a connection that waits for its turn to be read is not idle', () => {
  const connection = new Connection(new Socket());
  const now = performance.now();
  connection.pauseReading();
  expect(connection.idleFor(now + 1000)).toBe(0);
  connection.resumeReading();
  expect(connection.idleFor(now + 1500)).toBeCloseTo(500);
});

test.each<[string, ('pauseReading' | 'stopReading' | 'startReading')[], boolean]>([
  ['paused, stopped and started', ['pauseReading', 'stopReading', 'startReading'], false],
  ['stopped, paused and started', ['stopReading', 'pauseReading', 'startReading'], false],
  ['paused and started', ['pauseReading', 'startReading'], false],
  ['paused and stopped', ['pauseReading', 'stopReading'], true],
])('a connection that is %s is read once nothing keeps it', async (_, calls, isStopped) => {
  const [client, socket] = await socketPair();
  const connection = new Connection(socket);
  socket.resume();
  for (const call of calls) connection[call]();
  client.write(Buffer.alloc(1000));
  for (let at = 0; at < 20; at++) await turn();
  expect(socket.bytesRead).toBe(0);
  connection.resumeReading();
  if (isStopped) {
    for (let at = 0; at < 20; at++) await turn();
    expect(socket.bytesRead).toBe(0);
    connection.startReading();
  }
  await until(() => socket.bytesRead === 1000);
});

test('a write that was given up when the socket closed is not why it closed', () => {
  const connection = new Connection(new Socket());
  const givenUp = Object.assign(new Error('write ECANCELED'), {
    code: 'ECANCELED',
    syscall: 'write',
  });
  connection.setError(givenUp);
  expect(connection.closeCause).toEqual({ by: 'client', reason: 'closed' });
  connection.setError(Object.assign(new Error('of nghttp2'), { code: 'ERR_HTTP2_ERROR' }));
  expect(connection.closeCause).toEqual({ by: 'wirebin', reason: 'protocol-error' });
});
