import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { watchProcessorTime } from '../../../src/bench/cost/processor-time.ts';
import { makeProc, type FakeProcess } from './_proc.ts';

/** Seconds between two states of the processes 10 and what descends from it. */
function secondsBetween(before: readonly FakeProcess[], after: readonly FakeProcess[]) {
  const proc = makeProc(before);
  const spent = watchProcessorTime({ pids: [10] }, proc);
  makeProc(after, [], proc);
  return spent();
}

test('nanoseconds of all threads of all processes, those that have begun included', () => {
  const seconds = secondsBetween(
    [
      { pid: 10, threads: { 10: 1e9, 11: 2e9 } },
      { pid: 12, parent: 10, threads: { 12: 5e9 } },
    ],
    [
      { pid: 10, threads: { 10: 1.5e9, 11: 2e9, 14: 0.25e9 } },
      { pid: 12, parent: 10, threads: { 12: 5e9 + 1 } },
    ],
  );
  expect(seconds).toBeCloseTo(0.750_000_001, 9);
});

test('the time of a thread that has ended is in stat only', () => {
  const seconds = secondsBetween(
    [{ pid: 10, ticks: 100, threads: { 10: 1e9, 11: 2e9 } }],
    [{ pid: 10, ticks: 130, threads: { 10: 1.1e9 } }],
  );
  expect(seconds).toBeCloseTo(0.3);
});

test.each([
  ['is not counted any more', { 10: 1.1e9, 11: undefined }],
  ['has left its id to another', { 10: 1.1e9, 11: 0.2e9 }],
])('a thread that ends while threads are read %s', (_, threads) => {
  const seconds = secondsBetween(
    [{ pid: 10, ticks: 100, threads: { 10: 1e9, 11: 2e9 } }],
    [{ pid: 10, ticks: 130, threads }],
  );
  expect(seconds).toBeCloseTo(0.3);
});

test('a process of which no thread could be read', () => {
  const threads = { 10: undefined };
  const before = [{ pid: 10, ticks: 100, threads }];
  const after = [{ pid: 10, ticks: 130, threads: { 10: 9e9 } }];
  expect(secondsBetween(before, after)).toBeCloseTo(0.3);
});

test('a kernel that does not count nanoseconds', () => {
  const threads = { 10: 0 };
  const before = [{ pid: 10, ticks: 100, threads }];
  expect(secondsBetween(before, [{ pid: 10, ticks: 105, threads }])).toBeCloseTo(0.05);
});

test('children that came and went count', () => {
  const threads = { 10: 1e9 };
  const before = [{ pid: 10, childTicks: 10, threads }];
  expect(secondsBetween(before, [{ pid: 10, childTicks: 12, threads }])).toBeCloseTo(0.02);
});

test('not known if a process has begun or ended, or its pid is that of another', () => {
  const [one, other] = [
    { pid: 10, threads: { 10: 1e9 } },
    { pid: 12, parent: 10, threads: { 12: 1e9 } },
  ];
  expect(secondsBetween([one, other], [one, other])).toBe(0);
  expect(secondsBetween([one], [one, other])).toBeUndefined();
  expect(secondsBetween([one, other], [one])).toBeUndefined();
  expect(secondsBetween([one, other], [one, { ...other, started: 8 }])).toBeUndefined();
  expect(secondsBetween([], [])).toBeUndefined();
});

test.runIf(process.platform === 'linux')('a process that calculates has CPU time', async () => {
  const child = spawn(process.execPath, ['-e', 'console.log();for(;;);'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const spent = watchProcessorTime({ pids: [child.pid ?? 0] });
  await expect.poll(spent, { timeout: 20_000 }).toBeGreaterThan(0.02);
});
