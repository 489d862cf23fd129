import { expect, test } from 'vitest';
import { parseScheduler, readThreadTime } from '../../src/telemetry/thread-time.ts';

test('nanoseconds become seconds', () => {
  expect(parseScheduler('1500000000 250000000 17\n')).toEqual({ ran: 1.5, waited: 0.25 });
});

test.each(['', '0 0 0\n', '1 2\n', '1 x 3\n'])('%j is not known', (text) => {
  expect(parseScheduler(text)).toBeUndefined();
});

test('this thread runs, or waits', () => {
  const sum = (): number => {
    const { ran, waited = 0 } = readThreadTime();
    return ran + waited;
  };
  const before = sum();
  const start = performance.now();
  while (performance.now() - start < 5);
  expect(sum() - before).toBeGreaterThan(0.002);
});
