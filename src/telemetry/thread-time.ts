import { readFileSync } from 'node:fs';
import { cpuUsage } from 'node:process';
import { MICROSECONDS } from './durations.ts';

const NANOSECONDS = 1e9;

/** What the scheduler has given this thread, in seconds. */
export interface ThreadTime {
  readonly ran: number;
  /** Ready to run, but other threads had the core; undefined where the system does not tell. */
  readonly waited: number | undefined;
}

/** Reads it from Linux. Elsewhere, `ran` is the CPU time of the whole process. */
export function readThreadTime(): ThreadTime {
  return readScheduler() ?? { ran: readCpuSeconds(), waited: undefined };
}

/** User and system time of the process. */
export function readCpuSeconds(): number {
  const { user, system } = cpuUsage();
  return (user + system) / MICROSECONDS;
}

function readScheduler(): ThreadTime | undefined {
  try {
    // The file is read in this thread, not in the thread pool, so it is about this thread.
    return parseScheduler(readFileSync('/proc/thread-self/schedstat', 'latin1'));
  } catch {
    return undefined;
  }
}

/**
 * @param text nanoseconds run, nanoseconds waited, timeslices (Linux, Documentation/scheduler/sched-stats.rst)
 * @returns undefined if the kernel does not count
 */
export function parseScheduler(text: string): ThreadTime | undefined {
  const [, ran, waited] = /^(\d+) (\d+) \d+\s*$/.exec(text) ?? [];
  if (ran === undefined || waited === undefined || ran === '0') return undefined;
  return { ran: Number(ran) / NANOSECONDS, waited: Number(waited) / NANOSECONDS };
}
