import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { runInShell } from '../../../src/bench/during/shell.ts';

const { signal } = new AbortController();

test('the exit code, and when it began and ended', async () => {
  const before = performance.now();
  const ran = await runInShell('exit 3', signal);
  expect(ran.exitCode).toBe(3);
  expect(ran.begin).toBeGreaterThanOrEqual(before);
  expect(ran.end).toBeGreaterThan(ran.begin);
  expect(ran.end).toBeLessThanOrEqual(performance.now());
});

test('a command that a signal ends has no exit code', async () => {
  expect(await runInShell('kill -9 $$', signal)).toMatchObject({ exitCode: null });
});

test('what the command leaves running is not waited for', async () => {
  expect(await runInShell('sleep 5 & exit 0', signal)).toMatchObject({ exitCode: 0 });
});

test('an interruption ends what the command has started, too', async () => {
  const mark = `60${process.pid}`;
  const isRunning = () => spawnSync('pgrep', ['-f', `^sleep ${mark}$`]).status === 0;
  const end = new AbortController();
  const running = runInShell(`sleep ${mark}; true`, end.signal);
  await expect.poll(isRunning).toBe(true);
  end.abort();
  await expect(running).rejects.toThrow('aborted');
  await expect.poll(isRunning).toBe(false);
  await expect(runInShell('true', end.signal)).rejects.toThrow('aborted');
});
