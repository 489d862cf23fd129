import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { withinTurn } from '../../src/server/turn-budget.ts';

const LONGER_THAN_THE_BUDGET = 2;

function takeTime(): void {
  const end = performance.now() + LONGER_THAN_THE_BUDGET;
  while (performance.now() < end);
}

// Work of the test before belongs to the turn that it began in.
beforeEach(() => nextTurn());

test('work is done at once while the turn is short', () => {
  const done: string[] = [];
  withinTurn(() => done.push('first'));
  withinTurn(() => done.push('second'));
  expect(done).toEqual(['first', 'second']);
});

test('after its budget the rest of the work is done in later turns, in order', async () => {
  const done: string[] = [];
  const work = (name: string) => (): void => {
    done.push(name);
    takeTime();
  };
  for (const name of ['first', 'second', 'third']) withinTurn(work(name));
  expect(done).toEqual(['first']);
  await nextTurn();
  expect(done).toEqual(['first', 'second']);
  withinTurn(() => done.push('fourth'));
  expect(done).toEqual(['first', 'second']);
  await nextTurn();
  expect(done).toEqual(['first', 'second', 'third']);
  await nextTurn();
  expect(done).toEqual(['first', 'second', 'third', 'fourth']);
});

test('what other work takes of the turn counts, too', async () => {
  const done: string[] = [];
  withinTurn(() => done.push('first'));
  takeTime();
  withinTurn(() => done.push('second'));
  expect(done).toEqual(['first']);
  await nextTurn();
  expect(done).toEqual(['first', 'second']);
});
