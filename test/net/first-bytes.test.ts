import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readFirstBytes } from '../../src/net/first-bytes.ts';

const WITHIN = 40;

/** A socket whose bytes are pushed by hand. */
function openSocket(): Duplex {
  return new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
}

/** What the judge was asked, what was taken, and with how many bytes the socket has gone. */
function reading(socket: Duplex, judge: (text: string) => number | 'now' | 'soon') {
  const looked: string[] = [];
  const taken: string[] = [];
  const gone: number[] = [];
  readFirstBytes(
    socket as Socket,
    (bytes) => {
      const text = String(bytes);
      looked.push(text);
      const next = (): void => {
        taken.push(text);
      };
      const seen = judge(text);
      if (typeof seen === 'number') return seen;
      return seen === 'now' ? next : { timeout: WITHIN, resume: next };
    },
    (length) => gone.push(length),
  );
  return { looked, taken, gone };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('it looks again when as many have come as were wanted', async () => {
  const socket = openSocket();
  const { looked, taken } = reading(socket, ({ length }) => (length < 4 ? 4 : 'now'));
  for (const text of ['a', 'bc', 'def']) {
    socket.push(text);
    await pause(2);
  }
  expect(looked).toEqual(['a', 'abcdef']);
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

describe('what more may change', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  test('is done in time, with all that has come by then', async () => {
    const socket = openSocket();
    const { looked, taken } = reading(socket, () => 'soon');
    await turn();
    socket.push('a');
    vi.advanceTimersByTime(WITHIN - 1);
    socket.push('b');
    await turn();
    expect(taken).toEqual([]);
    vi.advanceTimersByTime(1);
    await turn();
    expect(looked).toEqual(['a', 'ab']);
    expect(taken).toEqual(['ab']);
    socket.push('c');
    vi.advanceTimersByTime(WITHIN);
    await turn();
    expect(taken).toEqual(['ab']);
    expect(String(socket.read())).toBe('c');
    socket.destroy();
  });

  test('is done at once when more makes it so', async () => {
    const socket = openSocket();
    const { taken } = reading(socket, (text) => (text === 'ab' ? 'now' : 'soon'));
    await turn();
    socket.push('a');
    await turn();
    socket.push('b');
    expect(taken).toEqual(['ab']);
    vi.advanceTimersByTime(WITHIN);
    await turn();
    expect(taken).toEqual(['ab']);
    socket.destroy();
  });

  // A busy process sees both at once, the time first.
  test('is done with bytes that came in time, though they are read when it is over', async () => {
    const socket = openSocket();
    const { taken } = reading(socket, (text) => (text === 'ab' ? 'now' : 'soon'));
    await turn();
    socket.push('a');
    vi.advanceTimersByTime(WITHIN);
    socket.push('b');
    await turn();
    expect(taken).toEqual(['ab']);
    socket.destroy();
  });
});

test.each([
  ['ends', (socket: Duplex) => socket.push(null)],
  ['is destroyed', (socket: Duplex) => socket.destroy()],
])('a socket that %s before that has gone', async (_, end) => {
  const socket = openSocket();
  const { taken, gone } = reading(socket, () => 'soon');
  await turn();
  socket.push('ab');
  end(socket);
  await pause(WITHIN + 5);
  expect(taken).toEqual([]);
  expect(gone).toEqual([2]);
  socket.destroy();
});
