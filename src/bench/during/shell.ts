import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { kill } from 'node:process';

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
 * @param signal ends it, and what it has started
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
  const stop = (): void => terminate(child.pid);
  signal.addEventListener('abort', stop, { once: true });
  try {
    // Not `close`, which waits for what the command leaves running, too.
    await once(child, 'exit', { signal });
  } finally {
    signal.removeEventListener('abort', stop);
  }
  return { begin, end: performance.now(), exitCode: child.exitCode };
}

/** Ends a process group. */
function terminate(pid: number | undefined): void {
  try {
    if (pid !== undefined) kill(-pid);
  } catch {
    // It has ended already.
  }
}
