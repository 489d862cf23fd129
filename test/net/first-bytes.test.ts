import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readFirstBytes } from '../../src/net/first-bytes.ts';

/** A socket whose bytes are pushed manually. */
function openSocket(): Duplex {
  return new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
}

/** What `peek` was called with, what was read, and how many bytes arrived before the close. */
function reading(socket: Duplex, peek: (text: string) => number | 'now') {
  const peeked: string[] = [];
  const taken: string[] = [];
  const closedAfter: number[] = [];
  readFirstBytes(
    socket as Socket,
    (bytes) => {
      const text = String(bytes);
      peeked.push(text);
      const next = (): void => {
        taken.push(text);
      };
      const seen = peek(text);
      if (typeof seen === 'number') return seen;
      return next;
    },
    (length) => closedAfter.push(length),
  );
  return { peeked, taken, closedAfter };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('peeks again when the needed number of bytes has arrived', async () => {
  const socket = openSocket();
  const { peeked, taken } = reading(socket, ({ length }) => (length < 4 ? 4 : 'now'));
  for (const text of ['a', 'bc', 'def']) {
    socket.push(text);
    await pause(2);
  }
  expect(peeked).toEqual(['a', 'abcdef']);
  expect(taken).toEqual(['abcdef']);
  expect(socket.listenerCount('data') + socket.listenerCount('end')).toBe(0);
  expect(socket.isPaused()).toBe(true);
  socket.destroy();
});

test('bytes that were put back are read again', async () => {
  const socket = openSocket();
  socket.push('b');
  socket.pause();
  socket.unshift('a');
  const { taken } = reading(socket, (text) => (text === 'ab' ? 'now' : 2));
  await turn();
  expect(taken).toEqual(['ab']);
  socket.destroy();
});

test.each([
  ['ends', (socket: Duplex) => socket.push(null)],
  ['is destroyed', (socket: Duplex) => socket.destroy()],
])('a socket that %s before that is reported as closed', async (_, end) => {
  const socket = openSocket();
  const { taken, closedAfter } = reading(socket, ({ length }) => length + 1);
  await turn();
  socket.push('ab');
  end(socket);
  await pause(5);
  expect(taken).toEqual([]);
  expect(closedAfter).toEqual([2]);
  socket.destroy();
});
