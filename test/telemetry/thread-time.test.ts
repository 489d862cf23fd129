import { expect, test } from 'vitest';
import { keptBetween, parseScheduler, readThreadTime } from '../../src/telemetry/thread-time.ts';

test('nanoseconds become seconds', () => {
  expect(parseScheduler('1500000000 250000000 17\n')).toEqual({ ran: 1.5, waited: 0.25 });
});

test.each(['', '0 0 0\n', '1 2\n', '1 x 3\n'])('%j is not known', (text) => {
  expect(parseScheduler(text)).toBeUndefined();
});

test('this thread runs, or waits', () => {
  const before = readThreadTime();
  const start = performance.now();
  while (performance.now() - start < 5);
  const after = readThreadTime();
  expect(after.ran + after.waited - before.ran - before.waited).toBeGreaterThan(0.002);
});

const start = { active: 10, ran: 5, waited: 1, others: 2 };

test.each([
  ['nobody', { active: 1, ran: 1, waited: 0, others: 0 }, 0],
  ['another process', { active: 1, ran: 0.6, waited: 0.4, others: 0 }, 0.4],
  [
    'another process, while the loop was about to wake up',
    { active: 0, ran: 0, waited: 0.3, others: 0 },
    0.3,
  ],
  ['a hypervisor', { active: 1, ran: 0.7, waited: 0, others: 0 }, 0.3],
  ['its own threads on its core', { active: 1, ran: 0.8, waited: 0.2, others: 0.2 }, 0],
  ['nobody, with threads on other cores', { active: 1, ran: 1, waited: 0, others: 0.5 }, 0],
])('%s keeps it from running', (_, { active, ran, waited, others }, kept) => {
  const end = {
    active: start.active + active,
    ran: start.ran + ran,
    waited: start.waited + waited,
    others: start.others + others,
  };
  expect(keptBetween(start, end)).toBeCloseTo(kept, 9);
});
