import { expect, onTestFinished, test, vi } from 'vitest';
import { Progress } from '../../src/check/progress.ts';
import { streams } from '../_streams.ts';

test('without a terminal there is a line every ten seconds, and none after the end', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let error = '';
  const progress = new Progress(804, 'checks', streams({ error: (text) => void (error += text) }));
  vi.advanceTimersByTime(10_000);
  expect(error).toBe('');
  progress.update(1, ', none failed');
  progress.update(120, ', 3 failed, the worst of them must h2 hop/te');
  vi.advanceTimersByTime(9000);
  expect(error).toBe('');
  vi.advanceTimersByTime(1000);
  expect(error).toBe('120 of 804 checks, 3 failed, the worst of them must h2 hop/te\n');
  vi.advanceTimersByTime(20_000);
  expect(error.match(/^120 of 804/gm)).toHaveLength(3);
  progress.end();
  vi.advanceTimersByTime(60_000);
  expect(error.match(/\n/g)).toHaveLength(3);
});
