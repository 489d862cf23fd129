import { readdir } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { memoryUsage } from 'node:process';
import { transportOf, type Connection } from '../net/connection.ts';
import { COUNT, mapSchema, nullable, NUMBER, shape, type Infer } from '../server/schema.ts';
import { addDuration, addNumbers, durationsSchema, noDurations } from './durations.ts';
import { keptBetween, readCpuSeconds, readThreadTime } from './thread-time.ts';

const SECOND = 1000;
/** Milliseconds between measurements of the event-loop delay. */
const DELAY_INTERVAL = 100;
/** Milliseconds for which facts about the process are cached, because counting file descriptors is slow. */
const LIFETIME = 1000;

const processSchema = shape({
  cpu_seconds: NUMBER,
  resident_bytes: COUNT,
  // Number of open file descriptors; null if the system does not list them.
  open_fds: nullable(COUNT),
  // Start time in seconds since the epoch.
  start_seconds: NUMBER,
});
type ProcessFacts = Infer<typeof processSchema>;

const loopSchema = shape({
  active_seconds: NUMBER,
  idle_seconds: NUMBER,
  // Seconds in which the event loop was ready to run, but other processes had the core.
  waiting_seconds: NUMBER,
  delays: durationsSchema,
});

/** The state of one or several processes: plain data, which can be sent between processes. */
export const sampleSchema = shape({
  // Open connections and open requests by transport.
  open: mapSchema(shape({ connections: COUNT, requests: COUNT })),
  loop: loopSchema,
  process: processSchema,
});
export type Sample = Infer<typeof sampleSchema>;

export function emptySample(): Sample {
  const loop = { active_seconds: 0, idle_seconds: 0, waiting_seconds: 0, delays: noDurations() };
  const process = { cpu_seconds: 0, resident_bytes: 0, open_fds: 0, start_seconds: 0 };
  return { open: {}, loop, process };
}

/** Samples the state of this process, and of a service in it. */
export class Sampler {
  readonly #connections: () => Iterable<Connection>;
  readonly #delays = noDurations();
  readonly #timer: NodeJS.Timeout;
  #due: number;
  #thread = readThreadTime();
  #waiting = 0;

  /** @param connections returns the open connections of the service */
  constructor(connections: () => Iterable<Connection>) {
    this.#connections = connections;
    this.#due = performance.now() + DELAY_INTERVAL;
    this.#timer = setInterval(() => this.#measure(), DELAY_INTERVAL).unref();
  }

  async sample(): Promise<Sample> {
    this.#watch();
    const { active, idle } = performance.eventLoopUtilization();
    const loop = {
      active_seconds: active / SECOND,
      idle_seconds: idle / SECOND,
      waiting_seconds: this.#waiting,
      delays: this.#delays,
    };
    return { open: countOpen(this.#connections()), loop, process: await readProcess() };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Measures how late the timer is: any other event would have waited as long. */
  #measure(): void {
    const now = performance.now();
    addDuration(this.#delays, Math.max(0, now - this.#due) / SECOND);
    this.#due = now + DELAY_INTERVAL;
    this.#watch();
  }

  #watch(): void {
    const thread = readThreadTime();
    this.#waiting += keptBetween(this.#thread, thread);
    this.#thread = thread;
  }
}

let lastRead: { readonly at: number; readonly facts: Promise<ProcessFacts> } | undefined;

/** Facts about this process, cached for a second. */
export async function readProcess(): Promise<ProcessFacts> {
  const now = performance.now();
  if (!lastRead || now - lastRead.at >= LIFETIME) lastRead = { at: now, facts: readFacts() };
  return lastRead.facts;
}

async function readFacts(): Promise<ProcessFacts> {
  return {
    cpu_seconds: readCpuSeconds(),
    resident_bytes: memoryUsage.rss(),
    open_fds: await countDescriptors(),
    start_seconds: performance.timeOrigin / SECOND,
  };
}

async function countDescriptors(): Promise<number | null> {
  try {
    // Without the descriptor for the directory itself.
    return (await readdir('/proc/self/fd')).length - 1;
  } catch {
    return null;
  }
}

function countOpen(connections: Iterable<Connection>): Sample['open'] {
  const open: Record<string, { connections: number; requests: number }> = {};
  for (const connection of connections) {
    const counts = (open[transportOf(connection)] ??= { connections: 0, requests: 0 });
    counts.connections++;
    counts.requests += connection.requests.open;
  }
  return open;
}

/** Adds up samples. The first one is that of the primary, which has started the others. */
export function addSamples(first: Sample, ...others: readonly Sample[]): Sample {
  const sum = structuredClone(first);
  for (const other of others) addNumbers(sum, other);
  const isUnknown = [first, ...others].some(({ process }) => process.open_fds === null);
  return {
    ...sum,
    process: {
      ...sum.process,
      open_fds: isUnknown ? null : sum.process.open_fds,
      start_seconds: first.process.start_seconds,
    },
  };
}

/** What an exited process leaves in the sum: its counters, but not what it had open. */
export function countedBy({ loop, process }: Sample): Sample {
  return { open: {}, loop, process: { ...process, resident_bytes: 0, open_fds: 0 } };
}
