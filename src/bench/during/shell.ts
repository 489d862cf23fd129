import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { kill } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds that what is terminated has to end, and between two looks whether it has. */
const GRACE = 1000;
const LOOK = 20;

/** How a command ended. */
export interface Ran {
  /** When it began and ended, by `performance.now()`. */
  readonly begin: number;
  readonly end: number;
  /** Null if a signal has ended it. */
  readonly exitCode: number | null;
}

/**
 * Runs a command in the shell. What it writes goes to standard error.
 *
 * @param signal ends it, and what it has started, before this throws
 * @throws if there is no shell, or when `signal` aborts
 */
export async function runInShell(command: string, signal: AbortSignal): Promise<Ran> {
  signal.throwIfAborted();
  const begin = performance.now();
  const child = spawn(command, {
    shell: true,
    // In a process group of its own, which can be ended as a whole.
    detached: true,
    // Not by pipes: what the command leaves running may write later.
    stdio: ['ignore', 2, 2],
  });
  try {
    // Not `close`, which waits for what the command leaves running, too.
    await once(child, 'exit', { signal });
  } catch (error) {
    if (child.pid !== undefined) await end(child.pid);
    throw error;
  }
  return { begin, end: performance.now(), exitCode: child.exitCode };
}

/** Terminates a process group, and kills it if it goes on. */
async function end(group: number): Promise<void> {
  const deadline = performance.now() + GRACE;
  let isThere = send(group, 'SIGTERM');
  while (isThere && performance.now() < deadline) {
    await pause(LOOK);
    isThere = send(group, 0);
  }
  if (isThere) send(group, 'SIGKILL');
}

/** @param signal 0 only looks whether there is a process group @returns false if all of it has ended */
function send(group: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    return kill(-group, signal);
  } catch {
    return false;
  }
}
