import { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WriteStall } from '../../../src/protocols/http1/write-stall.ts';

const LIMIT = 1000;
const INTERVAL = LIMIT / 4;

/** Its own timer does not expire in a test. */
let socket: Socket;
/** Bytes that the client has read. */
let bytesRead: number;
let stall: WriteStall;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  socket = new Socket();
  bytesRead = 0;
  Object.defineProperty(socket, 'bytesWritten', { get: () => bytesRead });
  stall = new WriteStall(socket, LIMIT);
  stall.watch();
});
afterEach(() => {
  socket.destroy();
  vi.useRealTimers();
});

/** The result after each interval of Node's timer, by the bytes read during it. */
function check(...amounts: number[]): boolean[] {
  return amounts.map((bytes) => {
    vi.advanceTimersByTime(INTERVAL);
    bytesRead += bytes;
    return stall.hasExpired();
  });
}

test('the timer runs for a fraction of the limit and is not restarted while it runs', () => {
  expect(socket.timeout).toBe(INTERVAL);
  socket.setTimeout(7);
  stall.watch();
  expect(socket.timeout).toBe(7);
});

test('a client that reads nothing is detected when the limit is over, not before', () => {
  expect(check(0, 0, 0, 0)).toEqual([false, false, false, true]);
});

test('progress in between restarts the limit', () => {
  expect(check(0, 0, 0, 1, 0, 0, 0)).toEqual([false, false, false, false, false, false, true]);
});

test('a timer that ran twice because of partial progress restarts the limit', () => {
  expect(check(0, 0, 0)).toEqual([false, false, false]);
  vi.advanceTimersByTime(INTERVAL);
  expect(check(0, 0, 0, 0)).toEqual([false, false, false, true]);
});
