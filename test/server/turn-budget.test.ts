import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { withinTurn } from '../../src/server/turn-budget.ts';

const LONGER_THAN_THE_BUDGET = 2;

function blockEventLoop(): void {
  const end = performance.now() + LONGER_THAN_THE_BUDGET;
  while (performance.now() < end);
}

// Work of the previous test counts for the iteration in which it began.
beforeEach(() => nextTurn());

test('work runs at once within the budget', () => {
  const done: string[] = [];
  withinTurn(() => done.push('first'));
  withinTurn(() => done.push('second'));
  expect(done).toEqual(['first', 'second']);
});

test('work beyond the budget runs in later iterations, in order', async () => {
  const done: string[] = [];
  const work = (name: string) => (): void => {
    done.push(name);
    blockEventLoop();
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

test('other work in the same iteration counts as well', async () => {
  const done: string[] = [];
  withinTurn(() => done.push('first'));
  blockEventLoop();
  withinTurn(() => done.push('second'));
  expect(done).toEqual(['first']);
  await nextTurn();
  expect(done).toEqual(['first', 'second']);
});

test('beyond the budget, owners take turns', async () => {
  const done: string[] = [];
  const [one, other] = [{}, {}];
  const work = (name: string) => (): void => {
    done.push(name);
    blockEventLoop();
  };
  withinTurn(blockEventLoop);
  for (const name of ['1a', '1b', '1c']) withinTurn(work(name), one);
  for (const name of ['2a', '2b']) withinTurn(work(name), other);
  for (let turns = 0; turns < 5; turns++) await nextTurn();
  expect(done).toEqual(['1a', '2a', '1b', '2b', '1c']);
});
