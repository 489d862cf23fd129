import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { queueWork } from '../../src/http/turn-budget.ts';

const LONGER_THAN_A_BUDGET = 2;

function takeTime(): void {
  const end = performance.now() + LONGER_THAN_A_BUDGET;
  while (performance.now() < end);
}

test('work is done in order, as much of it in a turn as its budget allows', async () => {
  const done: string[] = [];
  queueWork(() => {
    done.push('first');
    takeTime();
  });
  queueWork(() => done.push('second'));
  expect(done).toEqual([]);
  await nextTurn();
  expect(done).toEqual(['first']);
  await nextTurn();
  expect(done).toEqual(['first', 'second']);
});

test('work that is queued by work has a later turn', async () => {
  const done: string[] = [];
  queueWork(() => {
    queueWork(() => done.push('second'));
    done.push('first');
  });
  await nextTurn();
  expect(done).toEqual(['first']);
  await nextTurn();
  expect(done).toEqual(['first', 'second']);
});
