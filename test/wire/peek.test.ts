import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Connection } from '../../src/wire/connection.ts';
import { peek, type Sight } from '../../src/wire/peek.ts';
import { until } from '../_adapters.ts';

/** A socket whose bytes are pushed by hand. */
function openDuplex(): Duplex {
  return new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
}

/** Peeks until the judge is satisfied, and keeps what it is given and what it is asked. */
function peeked(socket: Duplex, judge: (text: string) => Sight, timeout = 10_000) {
  const taken: string[] = [];
  const judged: string[] = [];
  const look = (bytes: Buffer): Sight => {
    judged.push(String(bytes));
    return judge(String(bytes));
  };
  const connection = new Connection(socket as Socket);
  peek(connection, look, timeout, (bytes) => taken.push(String(bytes)));
  return { taken, judged, connection };
}

/** All that is there to read; from Node 26 on `read` gives a chunk at a time. */
function rest(socket: Duplex): string {
  const chunks: Buffer[] = [];
  while (socket.readableLength > 0) chunks.push(socket.read() as Buffer);
  return Buffer.concat(chunks).toString();
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('bytes that are enough are handed over on the spot, and are still there to read', async () => {
  const socket = openDuplex();
  const { taken, judged } = peeked(socket, (text) => (text.length >= 4 ? 'enough' : 'more'));
  for (const text of ['a', 'bc', 'def']) {
    socket.push(text);
    await pause(2);
  }
  expect(judged).toEqual(['a', 'abc', 'abcdef']);
  expect(taken).toEqual(['abcdef']);
  expect(socket.listenerCount('data') + socket.listenerCount('end')).toBe(0);
  expect(socket.isPaused()).toBe(true);
  expect(rest(socket)).toBe('abcdef');
  socket.destroy();
});

test('bytes that were put back before are looked at again', async () => {
  const socket = openDuplex();
  socket.push('b');
  socket.pause();
  socket.unshift('a');
  const { taken } = peeked(socket, (text) => (text === 'ab' ? 'enough' : 'more'));
  await turn();
  expect(taken).toEqual(['ab']);
  socket.destroy();
});

test('bytes that are nearly enough wait for what comes in the same turn of the event loop', async () => {
  const socket = openDuplex();
  const { taken } = peeked(socket, () => 'nearly');
  await turn();
  socket.push('a');
  socket.push('b');
  expect(taken).toEqual([]);
  await turn();
  expect(taken).toEqual(['ab']);
  socket.push('c');
  expect(taken).toEqual(['ab']);
  expect(rest(socket)).toBe('abc');
  socket.destroy();
});

test('and no longer once they are enough', async () => {
  const socket = openDuplex();
  const { taken } = peeked(socket, (text) => (text === 'ab' ? 'enough' : 'nearly'));
  await turn();
  socket.push('a');
  socket.push('b');
  expect(taken).toEqual(['ab']);
  await turn();
  expect(taken).toEqual(['ab']);
  socket.destroy();
});

test.each(['more', 'nearly'] as const)('a socket that ends with %s is destroyed', async (sight) => {
  const socket = openDuplex();
  const { taken } = peeked(socket, () => sight);
  await turn();
  socket.push('a');
  socket.push(null);
  await until(() => socket.destroyed);
  expect(taken).toEqual([]);
});

test('a socket that is destroyed is handed to nobody', async () => {
  const socket = openDuplex();
  const { taken } = peeked(socket, () => 'nearly');
  await turn();
  socket.push('a');
  socket.destroy();
  await pause(5);
  expect(taken).toEqual([]);
});

test('a socket that says too little in time is destroyed, also while it is trickling', async () => {
  const socket = openDuplex();
  const { judged, connection } = peeked(socket, () => 'more', 100);
  while (!socket.destroyed) {
    socket.push('a');
    await pause(10);
  }
  expect(judged.length).toBeGreaterThan(2);
  expect(judged.length).toBeLessThan(15);
  expect(connection.ending).toEqual({ by: 'wirebin', reason: 'header-timeout' });
});

test('one that was handed over has all the time', async () => {
  const socket = openDuplex();
  peeked(socket, () => 'enough', 50);
  socket.push('a');
  await pause(150);
  expect(socket.destroyed).toBe(false);
  socket.destroy();
});
