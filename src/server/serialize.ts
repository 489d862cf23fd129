import { setImmediate as nextIteration, setTimeout as pause } from 'node:timers/promises';
import { FairQueue } from '../net/fair-queue.ts';
import { arrivals } from '../net/arrivals.ts';
import type { Request } from './request.ts';

/** Milliseconds from which an iteration of the event loop is long. */
const LONG_ITERATION = 20;
/** Milliseconds after which a job runs even if connections are still being accepted. */
const MAX_WAIT = 1000;
/** Default size of the libuv thread pool (UV_THREADPOOL_SIZE). */
const THREADS = 4;

/** The request that a job belongs to. */
type Client = Pick<Request, 'signal' | 'connection'>;

/**
 * Runs jobs with limited concurrency: those of a connection in order, connections in turn. A queued job is dropped, and
 * its memory freed, as soon as its client disconnects.
 */
class JobQueue {
  #free: number;
  readonly #before: (() => Promise<void>) | undefined;
  /** Functions that start the queued jobs. */
  readonly #queue = new FairQueue<Client['connection'], () => void>();

  /**
   * @param concurrency number of jobs that may run at the same time
   * @param before awaited before each job
   */
  constructor(concurrency: number, before?: () => Promise<void>) {
    this.#free = concurrency;
    this.#before = before;
  }

  async run<Result>(client: Client, job: () => Result | Promise<Result>): Promise<Result> {
    const { signal } = client;
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#enqueue(client);
    try {
      await this.#before?.();
      signal.throwIfAborted();
      return await job();
    } finally {
      this.#next()?.();
    }
  }

  #enqueue({ signal, connection }: Client): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal.removeEventListener('abort', drop);
        resolve();
      };
      const drop = (): void => {
        this.#queue.delete(connection, start);
        reject(signal.reason);
      };
      this.#queue.push(connection, start);
      signal.addEventListener('abort', drop);
    });
  }

  /** Takes the next job from the queue; frees the slot if there is none. */
  #next(): (() => void) | undefined {
    const start = this.#queue.shift();
    if (!start) this.#free++;
    return start;
  }
}

const largeJobs = new JobQueue(1, yieldToEventLoop);
const threadJobs = new JobQueue(THREADS);
/** Queue of jobs that may take seconds: it leaves threads for others, and limits memory. */
const largeThreadJobs = new JobQueue(THREADS / 2);

/**
 * Runs jobs that take much time or memory one at a time, each in an event loop iteration of its own, so that other
 * requests are served in between.
 *
 * @throws AbortError if the client disconnects before the job has begun
 */
export function serialize<Result>(
  client: Client,
  job: () => Result | Promise<Result>,
): Promise<Result> {
  return largeJobs.run(client, job);
}

/**
 * Runs jobs in the libuv thread pool. Without this limit, libuv would queue any number of them, keep their memory, and
 * complete all before the process can exit.
 *
 * @param isLarge whether a job may take long, and so must not occupy all threads
 * @throws AbortError as `serialize`
 */
export function inThread<Result>(
  client: Client,
  job: () => Promise<Result>,
  isLarge = false,
): Promise<Result> {
  return (isLarge ? largeThreadJobs : threadJobs).run(client, job);
}

/**
 * Waits for an iteration that accepts no connection, because libuv accepts one per iteration. After a long wait, pauses
 * as long again.
 */
async function yieldToEventLoop(): Promise<void> {
  const start = performance.now();
  let accepted: number;
  do {
    accepted = arrivals.count;
    await nextIteration();
  } while (arrivals.count !== accepted && performance.now() - start < MAX_WAIT);
  const elapsed = performance.now() - start;
  if (elapsed > LONG_ITERATION) await pause(elapsed);
}
