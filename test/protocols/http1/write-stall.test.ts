import { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WriteStall } from '../../../src/protocols/http1/connection.ts';

const LIMIT = 1000;
const PART = LIMIT / 4;

/** Whose own timer does not run out in a test. */
let socket: Socket;
/** Bytes that the client has taken of the socket. */
let taken: number;
let stall: WriteStall;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  socket = new Socket();
  taken = 0;
  Object.defineProperty(socket, 'bytesWritten', { get: () => taken });
  stall = new WriteStall(socket, LIMIT);
  stall.watch();
});
afterEach(() => {
  socket.destroy();
  vi.useRealTimers();
});

/** What is found each time that Node's timer runs out, after a part of the limit. */
function looks(...lots: number[]): boolean[] {
  return lots.map((bytes) => {
    vi.advanceTimersByTime(PART);
    taken += bytes;
    return stall.hasExpired();
  });
}

test('the timer runs for a part of the limit, and is not started again while it runs', () => {
  expect(socket.timeout).toBe(PART);
  socket.setTimeout(7);
  stall.watch();
  expect(socket.timeout).toBe(7);
});

test('a client that takes nothing is found once the limit is over, not before', () => {
  expect(looks(0, 0, 0, 0)).toEqual([false, false, false, true]);
});

test('what has been taken in between counts anew', () => {
  expect(looks(0, 0, 0, 1, 0, 0, 0)).toEqual([false, false, false, false, false, false, true]);
});

test('a timer that has run twice, since Node saw something taken, counts anew', () => {
  expect(looks(0, 0, 0)).toEqual([false, false, false]);
  vi.advanceTimersByTime(PART);
  expect(looks(0, 0, 0, 0)).toEqual([false, false, false, true]);
});
