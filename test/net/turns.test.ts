import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { NewestAndOldest } from '../../src/net/queues.ts';
import { TurnBudget, turns } from '../../src/net/scheduler.ts';

/** Milliseconds. */
const LONGER_THAN_THE_BUDGET = 2;

/** The time, which passes only by `blockEventLoop()`: on a busy machine, a real millisecond passes between two lines. */
let now = 0;

function blockEventLoop(): void {
  now += LONGER_THAN_THE_BUDGET;
}

/** Work that takes longer than the budget, and the names of what has run. */
function recorded() {
  const done: string[] = [];
  const work = (name: string) => (): void => {
    done.push(name);
    blockEventLoop();
  };
  return { done, work };
}

beforeEach(async () => {
  // Later than what other tests have run in this process.
  now = Math.max(now, performance.now()) + 1000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  // Work of the previous test counts for the iteration in which it began.
  await nextTurn();
});

afterEach(() => void vi.restoreAllMocks());

test('work runs at once within the budget', () => {
  const done: string[] = [];
  turns.run(() => done.push('first'));
  turns.run(() => done.push('second'));
  expect(done).toEqual(['first', 'second']);
});

test('work beyond the budget runs in later iterations, in order', async () => {
  const { done, work } = recorded();
  for (const name of ['first', 'second', 'third']) turns.run(work(name));
  expect(done).toEqual(['first']);
  await nextTurn();
  expect(done).toEqual(['first', 'second']);
  turns.run(() => done.push('fourth'));
  expect(done).toEqual(['first', 'second']);
  await nextTurn();
  expect(done).toEqual(['first', 'second', 'third']);
  await nextTurn();
  expect(done).toEqual(['first', 'second', 'third', 'fourth']);
});

test('work after an await of a turn counts', async () => {
  const { done, work } = recorded();
  const all = ['first', 'second', 'third'].map(async (name) => {
    await turns.waitForTurn({});
    // As after some more awaits.
    await Promise.resolve();
    work(name)();
  });
  expect(done).toEqual([]);
  await nextTurn();
  expect(done).toEqual(['first']);
  await nextTurn();
  expect(done).toEqual(['first', 'second']);
  await Promise.all(all);
});

test('other work in the same iteration counts as well', async () => {
  const done: string[] = [];
  turns.run(() => done.push('first'));
  blockEventLoop();
  turns.run(() => done.push('second'));
  expect(done).toEqual(['first']);
  await nextTurn();
  expect(done).toEqual(['first', 'second']);
});

test('beyond the budget, owners take turns', async () => {
  const { done, work } = recorded();
  const [one, other] = [{}, {}];
  turns.run(blockEventLoop);
  for (const name of ['1a', '1b', '1c']) turns.run(work(name), one);
  for (const name of ['2a', '2b']) turns.run(work(name), other);
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  expect(done).toEqual(['1a', '2a', '1b', '2b', '1c']);
});

test('the newest and the oldest run in turn', async () => {
  const budget = new TurnBudget(new NewestAndOldest());
  const { done, work } = recorded();
  for (const name of ['first', 'second', 'third', 'fourth']) budget.run(work(name));
  expect(done).toEqual(['first']);
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  expect(done).toEqual(['first', 'fourth', 'second', 'third']);
});
