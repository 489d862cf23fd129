import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import type { Request } from './request.ts';

/** Milliseconds. */
const LONG = 20;
/** What libuv has, unless UV_THREADPOOL_SIZE says otherwise. */
const THREADS = 4;

/** The client that a job is for. */
type Client = Pick<Request, 'signal' | 'connection'>;

/**
 * Runs jobs in order, only so many at a time. A job whose client goes while it waits is dropped at
 * once, with all that it would have worked on; one whose client has half-closed its connection, and
 * may have gone, is run after the others.
 */
class Turns {
  #free: number;
  readonly #before: (() => Promise<void>) | undefined;
  /** What lets each job run. */
  readonly #waiting = new Map<() => void, Client>();

  /**
   * @param width jobs at a time
   * @param before waited for before each
   */
  constructor(width: number, before?: () => Promise<void>) {
    this.#free = width;
    this.#before = before;
  }

  async take<Made>(client: Client, make: () => Made | Promise<Made>): Promise<Made> {
    const { signal } = client;
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#admission(client);
    try {
      await this.#before?.();
      signal.throwIfAborted();
      return await make();
    } finally {
      this.#next()?.();
    }
  }

  #admission(client: Client): Promise<void> {
    const { signal } = client;
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        this.#waiting.delete(enter);
        signal.removeEventListener('abort', drop);
        resolve();
      };
      const drop = (): void => {
        this.#waiting.delete(enter);
        reject(signal.reason);
      };
      this.#waiting.set(enter, client);
      signal.addEventListener('abort', drop);
    });
  }

  /** Whose place it is now; without any it is free. */
  #next(): (() => void) | undefined {
    for (const [enter, { connection }] of this.#waiting) {
      if (!connection.clientHalfClosed) return enter;
    }
    const [enter] = this.#waiting.keys();
    if (!enter) this.#free++;
    return enter;
  }
}

const large = new Turns(1, rest);
const threads = new Turns(THREADS);

/**
 * Makes what takes long or takes much memory: one after another, each in a turn of the event loop of
 * its own, so that other requests are heard between them.
 *
 * @param client for whom it is
 * @throws AbortError where the client goes before it has begun
 */
export function serialize<Made>(client: Client, make: () => Made | Promise<Made>): Promise<Made> {
  return large.take(client, make);
}

/**
 * Makes what a thread works on. libuv would queue any number of them, with their memory, and finish
 * all before the process may end.
 *
 * @param client as above
 * @throws AbortError as above
 */
export function inThread<Made>(client: Client, make: () => Promise<Made>): Promise<Made> {
  return threads.take(client, make);
}

/** A turn; behind one that took long, as long again: libuv accepts one connection a turn. */
async function rest(): Promise<void> {
  const start = performance.now();
  await turn();
  const took = performance.now() - start;
  if (took > LONG) await pause(took);
}
