import { spawn } from 'node:child_process';
import { once } from 'node:events';

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
 * @param signal ends it
 * @throws if there is no shell, or when `signal` aborts
 */
export async function runInShell(command: string, signal: AbortSignal): Promise<Ran> {
  const begin = performance.now();
  // Not by pipes: what the command leaves running may write later.
  const child = spawn(command, { shell: true, stdio: ['ignore', 2, 2], signal });
  // Not `close`, which waits for those, too.
  await once(child, 'exit');
  return { begin, end: performance.now(), exitCode: child.exitCode };
}
