import type { Readable } from 'node:stream';
import type { Connection } from './connection.ts';

/** Milliseconds of an iteration of the event loop after which connections are read in turn. */
const BUDGET = 10;

type Reading = Pick<Connection, 'pauseReading' | 'resumeReading'>;

/** A request; its content may be read from `body`. */
interface Received {
  /** From performance.now(). */
  readonly receivedAt: number;
  readonly hasBody: boolean;
  readonly body: Readable;
}

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
  /** What begins connections; the newest is next, since the oldest may have been given up already. */
  readonly #waiting: (() => void)[] = [];

  /** Begins a connection now, or in a later iteration if this one is used up: Node decodes its first bytes at once. */
  admit(begin: () => void): void {
    if (this.#isUsed(performance.now())) this.#waiting.push(begin);
    else begin();
  }

  /** Call for each request. */
  received(connection: Reading, { receivedAt, hasBody, body }: Received): void {
    this.#count(connection, receivedAt);
    if (hasBody) this.countPieces(connection, body);
  }

  /** Counts each piece of content: a piece of one byte costs as much as a request. Call before it is read. */
  countPieces(connection: Reading, body: Readable): void {
    const push = body.push.bind(body);
    body.push = (piece, encoding) => {
      this.#count(connection, performance.now());
      return push(piece, encoding);
    };
  }

  #count(connection: Reading, now: number): void {
    if (this.#start === undefined) this.#begin(now);
    if (!this.#seen.has(connection)) {
      this.#seen.add(connection);
    } else if (this.#isUsed(now) && !this.#paused.has(connection)) {
      this.#paused.add(connection);
      connection.pauseReading();
    }
  }

  #isUsed(now: number): boolean {
    return this.#start !== undefined && now - this.#start > BUDGET;
  }

  #begin(now: number): void {
    this.#start = now;
    setImmediate(() => this.#end());
  }

  /** Resumes one connection only: a single read can use up the next iteration. */
  #end(): void {
    this.#start = undefined;
    this.#seen.clear();
    const [next] = this.#paused;
    if (next) this.#paused.delete(next);
    next?.resumeReading();
    this.#waiting.pop()?.();
    if (this.#paused.size > 0 || this.#waiting.length > 0) this.#begin(performance.now());
  }
}

/** Of all connections, which share the event loop. */
export const readTurns = new ReadTurns();
