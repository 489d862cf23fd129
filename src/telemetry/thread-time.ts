import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { cpuUsage } from 'node:process';
import { MICROSECONDS } from './durations.ts';

const NANOSECONDS = 1e9;
const MILLISECONDS = 1e3;

/** Times of this thread, in seconds. */
export interface ThreadTime {
  /** Time in which the event loop was busy. */
  readonly active: number;
  /** Time on a core; of the whole process if the system does not count single threads. */
  readonly ran: number;
  /** Time in which the thread was ready to run, but other threads had the core; 0 if the system does not count it. */
  readonly waited: number;
  /** Time on a core of the other threads of the process. */
  readonly others: number;
}

export function readThreadTime(): ThreadTime {
  const active = performance.eventLoopUtilization().active / MILLISECONDS;
  const all = readCpuSeconds();
  const { ran, waited } = readScheduler() ?? { ran: all, waited: 0 };
  return { active, ran, waited, others: all - ran };
}

/**
 * Seconds between two moments in which other processes kept this thread from running. While a hypervisor takes the core
 * away, the thread is busy without time on a core, and no wait is counted. The time of this process's other threads,
 * such as garbage collection, is subtracted, because they may have had the core; if they ran on other cores, the result
 * is too low.
 */
export function keptBetween(before: ThreadTime, after: ThreadTime): number {
  const since = (name: keyof ThreadTime): number => after[name] - before[name];
  return Math.max(0, Math.max(since('waited'), since('active') - since('ran')) - since('others'));
}

/** User and system time of the process, in seconds. */
export function readCpuSeconds(): number {
  const { user, system } = cpuUsage();
  return (user + system) / MICROSECONDS;
}

type Scheduled = Pick<ThreadTime, 'ran' | 'waited'>;

/** Reads the thread's times from Linux; undefined on other systems. */
function readScheduler(): Scheduled | undefined {
  try {
    // Read synchronously: a read in the thread pool would be about another thread.
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
