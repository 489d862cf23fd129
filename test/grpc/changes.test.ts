import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Changes } from '../../src/grpc/changes.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('however many wait, the state is looked at once', async () => {
  let state = 'a';
  const current = vi.fn(() => state);
  const changes = new Changes(current);
  const all = Array.from({ length: 1000 }, async () =>
    changes.after('a', new AbortController().signal),
  );
  current.mockClear();
  await vi.advanceTimersByTimeAsync(1000);
  expect(current).toHaveBeenCalledTimes(10);
  state = 'b';
  await vi.advanceTimersByTimeAsync(100);
  await Promise.all(all);
  expect(vi.getTimerCount()).toBe(0);
});

test('a state that has changed before, or changes back', async () => {
  let state = 'a';
  const changes = new Changes(() => state);
  const { signal } = new AbortController();
  await changes.after('b', signal);
  const first = changes.after('a', signal);
  state = 'b';
  const second = changes.after('b', signal);
  state = 'a';
  await vi.advanceTimersByTimeAsync(100);
  await Promise.all([first, second]);
});

test('nothing is looked at for those who have left', async () => {
  const changes = new Changes(() => 'a');
  const abort = new AbortController();
  const waiting = changes.after('a', abort.signal);
  abort.abort();
  await waiting;
  await changes.after('a', abort.signal);
  await vi.advanceTimersByTimeAsync(100);
  expect(vi.getTimerCount()).toBe(0);
});

test('one that begins to wait after a change does not hide it from those that wait', async () => {
  let state = 'a';
  const changes = new Changes(() => state);
  const abort = new AbortController();
  let isTold = false;
  const first = changes.after('a', abort.signal).then(() => (isTold = true));
  state = 'b';
  const second = changes.after('b', abort.signal);
  await vi.advanceTimersByTimeAsync(100);
  expect(isTold).toBe(true);
  abort.abort();
  await Promise.all([first, second]);
});
