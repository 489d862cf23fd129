import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Schedule, paceBytes, pacePieces } from '../../src/server/pace.ts';
import { CountingSource } from './_counted.ts';

const never = new AbortController().signal;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The number due at each time, in milliseconds since the start. */
function dueAt(schedule: Schedule, times: readonly number[]): number[] {
  const start = performance.now();
  return times.map((time) => {
    vi.advanceTimersByTime(start + time - performance.now());
    return schedule.due();
  });
}

test('the first is due at once, the last at the end, the others in even steps', () => {
  const times = [0, 49, 50, 51, 99, 100, 149, 150, 199, 200, 10_000];
  expect(dueAt(new Schedule(5, 0.2), times)).toEqual([1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 5]);
});

test('many are due together after a while', () => {
  expect(dueAt(new Schedule(5, 0.2), [0, 175])).toEqual([1, 4]);
  expect(dueAt(new Schedule(5, 0.2), [0, 1000])).toEqual([1, 5]);
});

test.each([
  [0, 0],
  [0, 10],
  [1, 10],
  [10_000, 0],
])('%d in %d seconds are due at once', (count, seconds) => {
  expect(new Schedule(count, seconds).due()).toBe(count);
});

test.each([0, 1])('a million million cost nothing, with a jitter of %d', (jitter) => {
  const count = 1e12;
  const due = dueAt(new Schedule(count, 1, jitter), [0, 250, 1000]);
  expect(due[0]).toBe(1);
  expect(due[1]).toBeGreaterThan(count / 4 - 10_000);
  expect(due[1]).toBeLessThan(count / 4 + 10_000);
  expect(due[2]).toBe(count);
});

test('jitter moves all but the first and the last, by half of it either way', () => {
  const shifts: number[] = [];
  for (let round = 0; round < 20; round++) {
    const times = Array.from({ length: 401 }, (_, at) => at);
    const due = dueAt(new Schedule(21, 0.4, 1), times);
    for (let at = 0; at < 21; at++) {
      const time = due.findIndex((count) => count > at);
      if (at === 0 || at === 20) expect(time).toBe(at * 20);
      else shifts.push(time - at * 20);
    }
  }
  expect(Math.min(...shifts)).toBeGreaterThanOrEqual(-10);
  expect(Math.max(...shifts)).toBeLessThanOrEqual(10);
  expect(Math.min(...shifts)).toBeLessThan(-5);
  expect(Math.max(...shifts)).toBeGreaterThan(5);
});

test('it waits until more are due', async () => {
  vi.useRealTimers();
  const schedule = new Schedule(3, 0.1);
  const start = performance.now();
  for (let due = schedule.due(); due < 3; due = schedule.due()) {
    // Timers may be early by a fraction of a millisecond.
    expect(performance.now() - start).toBeGreaterThan((due - 1) * 50 - 2);
    await schedule.wait(never);
  }
  expect(performance.now() - start).toBeGreaterThanOrEqual(100);
});

test('the wait ends when the client disconnects', async () => {
  const controller = new AbortController();
  const schedule = new Schedule(2, 300);
  schedule.due();
  const waiting = schedule.wait(controller.signal);
  controller.abort();
  await expect(waiting).rejects.toThrow('aborted');
});

describe('bytes of a payload', () => {
  test('are sent when due, in pieces of the requested size', () => {
    const schedule = new Schedule(11, 1);
    const payload = paceBytes(new CountingSource(1000), schedule, (due) => (due - 1) * 100);
    const taken = (): (number | undefined)[] => {
      const pieces: (number | undefined)[] = [];
      for (;;) {
        const piece = payload.next(64);
        if (piece === null) return pieces;
        pieces.push(piece?.length);
        if (piece === undefined) return pieces;
      }
    };
    expect(taken()).toEqual([]);
    vi.advanceTimersByTime(100);
    expect(taken()).toEqual([64, 36]);
    vi.advanceTimersByTime(250);
    expect(taken()).toEqual([64, 64, 64, 8]);
    vi.advanceTimersByTime(10_000);
    expect(taken().at(-1)).toBeUndefined();
    expect(payload.next(64)).toBeUndefined();
  });
});

function numbered(at: number): string {
  return String(at);
}

describe('pieces', () => {
  test('are sent when due, one by one', () => {
    const payload = pacePieces(3, 1, 0, numbered);
    expect([payload.next(9), payload.next(9)]).toEqual(['0', null]);
    vi.advanceTimersByTime(1000);
    expect([payload.next(9), payload.next(9), payload.next(9), payload.next(9)]).toEqual([
      '1',
      '2',
      undefined,
      undefined,
    ]);
  });

  test.each([
    [3, 0],
    [1, 10],
    [0, 10],
  ])('%d in %d seconds do not wait', (count, seconds) => {
    expect(pacePieces(count, seconds, 0, numbered).kind).toBe('streamed');
  });
});
