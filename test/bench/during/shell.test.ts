import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runInShell } from '../../../src/bench/during/shell.ts';
import { sleepFor } from '../../_shell.ts';

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
  expect(await runInShell(`${sleepFor(5000)} & exit 0`, signal)).toMatchObject({ exitCode: 0 });
});

test.each([
  ['what the command has started', `exec ${sleepFor(60_000)}`],
  ['a command that goes on', `trap "" TERM; while :; do ${sleepFor(100)}; done`],
])('an interruption ends %s', async (_, then) => {
  const folder = mkdtempSync(join(tmpdir(), 'wirebin-shell-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'pid');
  const end = new AbortController();
  // The shell waits for the other command, whose pid is in the file.
  const inner = `echo $$ > ${file}; ${then}`;
  const running = runInShell(`sh -c '${inner}'; true`, end.signal);
  const pid = () => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0);
  await expect.poll(pid, { timeout: 20_000 }).toBeGreaterThan(0);
  end.abort();
  await expect(running).rejects.toThrow('aborted');
  await expect.poll(() => isRunning(pid()), { timeout: 20_000 }).toBe(false);
  await expect(runInShell('true', end.signal)).rejects.toThrow('aborted');
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
