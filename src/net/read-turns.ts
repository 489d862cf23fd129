import type { Readable } from 'node:stream';
import { arrivals, type Arrivals } from './arrivals.ts';
import { StoppedConnections, type Reading } from './stopped-connections.ts';
import { NewestAndOldest } from './turn-budget.ts';

/** Milliseconds of an iteration of the event loop after which connections are read in turn. */
const BUDGET = 10;
/** The same while connections are accepted. */
const SHORT_BUDGET = 1;
/** Milliseconds that those that have sent much wait while others are accepted, and all while large requests wait. */
const MAX_WAIT = 200;
/** Milliseconds of an iteration for each connection that was read, and for all, beyond which others are not read. */
const MAX_EACH = 1;
const MAX_ALL = 100;
/** Bytes in which there are few requests. */
const LITTLE = 1024;
/** Number of large requests that may wait while further ones are read. */
const MAX_LARGE = 32;

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
 * with thousands of small requests, or pieces of content, would make iterations take seconds. So would many
 * connections with some hundred each, of which all are read in the iteration in which they have sent something.
 */
export class ReadTurns {
  readonly #arrivals: Arrivals;
  /** When the first request or piece of this iteration was received, from performance.now(). */
  #start: number | undefined;
  /** Connections that had one in this iteration: the first is no reason to wait. */
  readonly #seen = new Set<Reading>();
  /**
   * Requests with many fields that wait to be handled. Node keeps more than 100 KiB for one with 900 fields from
   * when it is read until its response has been sent.
   */
  largeRequests = 0;
  /**
   * Connections that have used up their time in an iteration of the event loop, and are not read, in the order of their
   * turns.
   */
  readonly #paused = new Set<Reading>();
  /** Connections that are not read since others have used up an iteration. */
  readonly #stopped = new StoppedConnections();
  /** What begins connections. Those that have sent little, as most do, do not wait for those that have sent much. */
  readonly #little = new NewestAndOldest<() => Reading | undefined>();
  readonly #much = new NewestAndOldest<() => Reading | undefined>();
  /** When those that have sent much last had a turn, or the first began to wait, from performance.now(). */
  #lastTurn = 0;
  /** Whether this iteration began with a turn. Connections that were stopped are resumed in those between. */
  #isTurn = false;
  /** Connections accepted before this iteration. */
  #accepted = 0;

  constructor(all: Arrivals = arrivals) {
    this.#arrivals = all;
  }

  /**
   * Begins a connection now, or in a later iteration if this one is used up: Node decodes its first bytes at once.
   * Call `closed` when it has closed.
   *
   * @param length bytes that it has sent
   * @param begin returns undefined if the connection has closed meanwhile
   */
  admit(length: number, begin: () => Reading | undefined): void {
    const now = performance.now();
    if (!this.#isUsed(now) && !this.#isFull) {
      this.#beginOne(begin);
      return;
    }
    if (this.#start === undefined) this.#begin(now);
    if (!this.#isWaiting) this.#lastTurn = now;
    (length <= LITTLE ? this.#little : this.#much).push(this, begin);
  }

  closed(connection: Reading): void {
    this.#paused.delete(connection);
    this.#stopped.closed(connection);
  }

  /** Call for each request. */
  received(connection: Reading, { receivedAt, hasBody, body }: Received): void {
    this.count(connection, receivedAt);
    if (hasBody) this.countPieces(connection, body);
  }

  /** Counts each piece of content: a piece of one byte costs as much as a request. Call before it is read. */
  countPieces(connection: Reading, body: Readable): void {
    const push = body.push.bind(body);
    body.push = (piece, encoding) => {
      this.count(connection, performance.now());
      return push(piece, encoding);
    };
  }

  /** Counts a request, or a piece of content. @param now from performance.now() */
  count(connection: Reading, now: number): void {
    if (this.#start === undefined) this.#begin(now);
    const isFirst = !this.#seen.has(connection);
    if (isFirst) this.#seen.add(connection);
    if (!this.#isUsed(now)) return;
    if (!this.#isWaiting) this.#lastTurn = now;
    if (!isFirst && !this.#paused.has(connection)) {
      this.#paused.add(connection);
      this.#stopped.hasMuch(connection);
      connection.pauseReading();
    }
    const elapsed = now - (this.#start ?? now);
    if (elapsed > Math.min(MAX_ALL, Math.max(BUDGET, MAX_EACH * this.#seen.size))) {
      this.#stopped.stop((each) => !this.#seen.has(each) && !this.#paused.has(each));
    }
  }

  get #isFull(): boolean {
    return this.largeRequests > MAX_LARGE;
  }

  get #isWaiting(): boolean {
    return this.#hasMuch || !this.#little.isEmpty || !this.#stopped.isEmpty;
  }

  get #hasMuch(): boolean {
    return this.#paused.size > 0 || !this.#much.isEmpty;
  }

  #isUsed(now: number): boolean {
    return (
      this.#start !== undefined &&
      now - this.#start > (this.#arrivals.areRecent(now) ? SHORT_BUDGET : BUDGET)
    );
  }

  #begin(now: number): void {
    this.#start = now;
    this.#accepted = this.#arrivals.count;
    setImmediate(() => this.#end());
  }

  #beginOne(begin: () => Reading | undefined): boolean {
    const connection = begin();
    if (connection) this.#stopped.opened(connection);
    return connection !== undefined;
  }

  #end(): void {
    this.#start = undefined;
    this.#seen.clear();
    this.#stopped.iterationEnded();
    if (!this.#isWaiting) return;
    const now = performance.now();
    const hasWaited = now - this.#lastTurn >= MAX_WAIT;
    const mayBegin = hasWaited || !this.#isFull;
    // One is accepted per iteration, and reading makes iterations long.
    const isAccepting = this.#arrivals.count !== this.#accepted;
    const mayReadMuch = hasWaited || !(isAccepting || this.#isFull);
    const hasTurn = (mayBegin && !this.#little.isEmpty) || (mayReadMuch && this.#hasMuch);
    // A turn may use up its iteration before connections that are resumed in it are read.
    this.#isTurn = hasTurn && (!this.#isTurn || this.#stopped.isEmpty);
    this.#begin(now);
    if (!this.#isTurn) {
      this.#stopped.resumeSome();
      return;
    }
    if (mayBegin) this.#beginNext(this.#little);
    if (mayReadMuch) this.#readMuch(now);
  }

  #beginNext(waiting: NewestAndOldest<() => Reading | undefined>): void {
    for (let begin = waiting.shift(); begin && !this.#beginOne(begin);) begin = waiting.shift();
  }

  /** Resumes and begins one connection each: a single read can use up the next iteration. */
  #readMuch(now: number): void {
    this.#lastTurn = now;
    const [next] = this.#paused;
    if (next) this.#paused.delete(next);
    next?.resumeReading();
    this.#beginNext(this.#much);
  }
}

/** Of all connections, which share the event loop. */
export const readTurns = new ReadTurns();
