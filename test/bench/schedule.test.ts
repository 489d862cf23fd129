import { expect, test } from 'vitest';
import { Schedule } from '../../src/bench/schedule.ts';

test('requests are due at equal distances', () => {
  const schedule = new Schedule(1000, 250, 2);
  expect(schedule.count).toBe(500);
  expect([0, 1, 499].map((number) => schedule.dueAt(number))).toEqual([1000, 1004, 2996]);
});

test('even a short load has one request', () => {
  expect(new Schedule(0, 1, 0.1).count).toBe(1);
});

test.each([
  [1000, 0],
  [1008.5, 0],
  [1000 - 2.5, 1],
  [1000 - 20, 19],
  [1010, 0],
])('at %d ms, a timer may run for %d ms', (now, timer) => {
  expect(new Schedule(1000, 100, 1).timerBefore(now > 1000 ? 1 : 0, now)).toBe(timer);
});
