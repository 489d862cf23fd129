import type { Connection } from './connection.ts';

/** Milliseconds of an iteration of the event loop after which connections are read in turn. */
const BUDGET = 10;

type Reading = Pick<Connection, 'pauseReading' | 'resumeReading'>;

/**
 * Ends the reading of connections that use up an iteration of the event loop. libuv reads up to 2 MiB of
 * each connection per iteration, and Node decodes all of it before anything else is done: some connections
 * with thousands of small requests, or pieces of content, would make iterations take seconds.
 */
export class ReadTurns {
  /** When the first request or piece of this iteration was received, from performance.now(). */
  #start: number | undefined;
  /** Connections that had one in this iteration: the first is no reason to wait. */
  readonly #seen = new Set<Reading>();
  /** Connections that are not read, in the order of their turns. */
  readonly #paused = new Set<Reading>();

  /** Call for each request or piece of content. @param now from performance.now() */
  received(connection: Reading, now: number): void {
    const start = this.#start ?? this.#begin(now);
    if (!this.#seen.has(connection)) {
      this.#seen.add(connection);
    } else if (now - start > BUDGET && !this.#paused.has(connection)) {
      this.#paused.add(connection);
      connection.pauseReading();
    }
  }

  #begin(now: number): number {
    this.#start = now;
    setImmediate(() => this.#end());
    return now;
  }

  /** What is read at once of a single connection may use up the next iteration. */
  #end(): void {
    this.#start = undefined;
    this.#seen.clear();
    const [next] = this.#paused;
    if (!next) return;
    this.#paused.delete(next);
    next.resumeReading();
    if (this.#paused.size > 0) this.#begin(performance.now());
  }
}

/** Of all connections, which share the event loop. */
export const readTurns = new ReadTurns();
