import { expect, test } from 'vitest';
import { parseScheduler, readThreadTime } from '../../src/telemetry/thread-time.ts';

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
  const ran = after.ran - before.ran;
  expect(ran + (after.waited ?? 0) - (before.waited ?? 0)).toBeGreaterThan(0.002);
});
