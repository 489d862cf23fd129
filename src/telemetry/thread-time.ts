import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { cpuUsage } from 'node:process';
import { MICROSECONDS } from './durations.ts';

const NANOSECONDS = 1e9;
const MILLISECONDS = 1e3;

/** What this thread has done, in seconds. */
export interface ThreadTime {
  /** In which its event loop was busy. */
  readonly active: number;
  /** In which it ran on a core. Of the whole process where the system does not tell of threads. */
  readonly ran: number;
  /** In which it was ready to run, but other threads had the core; 0 where the system does not tell. */
  readonly waited: number;
  /** In which the other threads of the process ran. */
  readonly others: number;
}

export function readThreadTime(): ThreadTime {
  const active = performance.eventLoopUtilization().active / MILLISECONDS;
  const all = readCpuSeconds();
  const { ran, waited } = readScheduler() ?? { ran: all, waited: 0 };
  return { active, ran, waited, others: all - ran };
}

/**
 * For how long, between two moments, other processes kept this thread from running. A hypervisor that takes the core
 * away leaves no wait, but no time on the core either. Threads of this process, such as those that collect garbage,
 * may have had the core; on cores of their own, the result is less by what they ran.
 */
export function keptBetween(before: ThreadTime, after: ThreadTime): number {
  const since = (name: keyof ThreadTime): number => after[name] - before[name];
  return Math.max(0, Math.max(since('waited'), since('active') - since('ran')) - since('others'));
}

/** User and system time of the process. */
export function readCpuSeconds(): number {
  const { user, system } = cpuUsage();
  return (user + system) / MICROSECONDS;
}

type Scheduled = Pick<ThreadTime, 'ran' | 'waited'>;

/** Reads it from Linux. */
function readScheduler(): Scheduled | undefined {
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
export function parseScheduler(text: string): Scheduled | undefined {
  const [, ran, waited] = /^(\d+) (\d+) \d+\s*$/.exec(text) ?? [];
  if (ran === undefined || waited === undefined || ran === '0') return undefined;
  return { ran: Number(ran) / NANOSECONDS, waited: Number(waited) / NANOSECONDS };
}
