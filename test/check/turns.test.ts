import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Turns } from '../../src/check/turns.ts';

/** Milliseconds until the next turn. A timer may be early by one. */
async function wait(turns: Turns): Promise<number> {
  const start = performance.now();
  await turns.next();
  return performance.now() - start + 2;
}

test('turns are spaced, also by those that are taken at once', async () => {
  const turns = new Turns(20);
  await turns.next();
  turns.spend();
  turns.spend();
  expect(await wait(turns)).toBeGreaterThanOrEqual(60);
});

test('time in which nobody takes a turn is not made up for', async () => {
  const turns = new Turns(20);
  await pause(60);
  turns.spend();
  expect(await wait(turns)).toBeGreaterThanOrEqual(20);
});
