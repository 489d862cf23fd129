import { setImmediate as iteration } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { Arrivals } from '../../src/net/scheduler.ts';

afterEach(() => void vi.restoreAllMocks());

/** @returns what reads a connection of the name, and the names of those that have been read */
function recorder() {
  const read: string[] = [];
  const arrivals = new Arrivals();
  const accept = (...names: string[]): void => {
    for (const name of names) arrivals.add(() => void read.push(name));
  };
  return { read, accept };
}

test('a connection that comes alone is read at once', async () => {
  const { read, accept } = recorder();
  accept('a');
  expect(read).toEqual(['a']);
  // The first immediate ends the iteration of its arrival, the second finds that none has followed.
  await iteration();
  await iteration();
  accept('b');
  expect(read).toEqual(['a', 'b']);
});

test('those that follow are read after an iteration without any, in order', async () => {
  const { read, accept } = recorder();
  accept('a', 'b');
  for (const name of ['c', 'd', 'e']) {
    await iteration();
    accept(name);
  }
  expect(read).toEqual(['a']);
  await iteration();
  expect(read).toEqual(['a']);
  await iteration();
  expect(read).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('they are read after a second at the latest', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(1000);
  const { read, accept } = recorder();
  accept('a', 'b');
  now.mockReturnValue(1999);
  await iteration();
  accept('c');
  expect(read).toEqual(['a']);
  now.mockReturnValue(2000);
  await iteration();
  expect(read).toEqual(['a', 'b', 'c']);
});
