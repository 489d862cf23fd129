import { join } from 'node:path';
import { parseScheduler } from '../../telemetry/thread-time.ts';
import { entriesOf, processesOf, read, type Process, type ProcessSource } from './process-set.ts';

/** Seconds that each thread has run, by its id. */
type Threads = ReadonlyMap<string, number>;

type ThreadTimes = ReadonlyMap<string, Process & { readonly threads: Threads }>;

/**
 * Watches the CPU time of a server's processes from now on.
 *
 * @returns a function that returns the seconds up to then; undefined without processes, or if one has begun or ended,
 * because its time is then not known as a whole
 */
export function watchProcessorTime(
  source: ProcessSource,
  proc = '/proc',
): () => number | undefined {
  const before = readThreadTimes(source, proc);
  return () => secondsBetween(before, readThreadTimes(source, proc));
}

function readThreadTimes(source: ProcessSource, proc: string): ThreadTimes {
  return new Map(
    processesOf(source, proc).map((process) => {
      const { pid, started } = process;
      return [`${pid} ${started}`, { ...process, threads: threadsOf(pid, proc) }];
    }),
  );
}

function threadsOf(pid: number, proc: string): Threads {
  const folder = join(proc, String(pid), 'task');
  return new Map(
    entriesOf(folder).flatMap((thread) => {
      // A thread that has ended since the folder was read has none.
      const scheduled = parseScheduler(read(join(folder, thread, 'schedstat')));
      return scheduled ? [[thread, scheduled.ran] as const] : [];
    }),
  );
}

function secondsBetween(before: ThreadTimes, after: ThreadTimes): number | undefined {
  if (before.size === 0 || before.size !== after.size) return undefined;
  let seconds = 0;
  for (const [key, first] of before) {
    const last = after.get(key);
    if (!last) return undefined;
    const ran = ranBetween(first.threads, last.threads) ?? last.seconds - first.seconds;
    // Children that came and went between.
    seconds += ran + last.childSeconds - first.childSeconds;
  }
  return seconds;
}

/**
 * Seconds by the scheduler, which counts nanoseconds: the ticks of `stat` are coarse for short loads.
 *
 * @returns undefined if the kernel does not count, or if a thread has ended, whose time only `stat` still has. Another
 * may have its id: that has run for a shorter time
 */
function ranBetween(before: Threads, after: Threads): number | undefined {
  const [first, total] = [sum(before), sum(after)];
  const isSame = [...before].every(([thread, ran]) => (after.get(thread) ?? -1) >= ran);
  return first > 0 && isSame ? total - first : undefined;
}

const sum = (threads: Threads): number =>
  [...threads.values()].reduce((all, each) => all + each, 0);
