import type { Readable } from 'node:stream';
import { arrivals, type Arrivals } from './arrivals.ts';
import { StoppedConnections, type Reading } from './stopped-connections.ts';
import { NewestAndOldest } from './turn-budget.ts';

/** Milliseconds of an iteration of the event loop after which connections take turns in being read. */
const BUDGET = 10;
/** Milliseconds that a turn waits while connections are being accepted, or for too many large requests. */
const MAX_WAIT = 200;
/**
 * Milliseconds of an iteration after which no more connections are read: for each that was read, but at least BUDGET,
 * and in total.
 */
const MAX_EACH = 1;
const MAX_ALL = 100;
/** Number of large requests that may wait before no more connections are read. */
const MAX_LARGE = 32;

/** A received request, whose content may be read from `body`. */
interface Received {
  /** Time from performance.now(). */
  readonly receivedAt: number;
  readonly hasBody: boolean;
  readonly body: Readable;
}

/**
 * Stops reading HTTP/2 connections that use up an iteration of the event loop. libuv reads up to 2 MiB of each connection
 * per iteration, and Node decodes all of it first: a few connections with thousands of small requests, or pieces of
 * content, could make iterations take seconds. So could many connections with some hundred each, because all are read
 * in the same iteration.
 */
export class ReadTurns {
  readonly #arrivals: Arrivals;
  /** When this iteration's first connection began, or its first request or piece of content came, from performance.now(). */
  #start: number | undefined;
  /** Connections with a request or piece of content in this iteration. Their first one never makes them wait. */
  readonly #seen = new Set<Reading>();
  /**
   * Number of waiting requests with many fields. For one with 900 fields, Node keeps more than 100 KiB from reading it
   * until its response was sent.
   */
  largeRequests = 0;
  /** Connections that have used up an iteration, and are not read until their turn, in order of turns. */
  readonly #paused = new Set<Reading>();
  /** Connections that are not read because others have used up an iteration. */
  readonly #stopped = new StoppedConnections();
  /** Functions that begin connections. */
  readonly #beginning = new NewestAndOldest<() => Reading | undefined>();
  /** When a connection last had its turn, or the first began to wait, from performance.now(). */
  #lastTurn = 0;
  /** Whether this iteration began with a turn of a waiting connection. In others, stopped connections are resumed. */
  #isTurn = false;
  /** `count` of arrivals at the start of this iteration. */
  #accepted = 0;

  constructor(all: Arrivals = arrivals) {
    this.#arrivals = all;
  }

  /**
   * Begins a connection, in a later iteration if this one is used up, because Node decodes its first bytes at once.
   * Call `closed` when it was closed.
   *
   * @param begin returns undefined if the connection was closed meanwhile
   */
  admit(begin: () => Reading | undefined): void {
    const now = performance.now();
    // Before the connection begins, because its first bytes may be frames of no request, which are not counted.
    if (this.#start === undefined) this.#begin(now);
    if (!this.#isUsed(now) && !this.#isFull) {
      this.#beginOne(begin);
      return;
    }
    if (!this.#isWaiting) this.#lastTurn = now;
    this.#beginning.push(this, begin);
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

  /** Counts each piece of content, because one byte can cost as much as a request. Call before content is read. */
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
      connection.hold('turn');
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
    return this.#hasTurn || !this.#stopped.isEmpty;
  }

  get #hasTurn(): boolean {
    return this.#paused.size > 0 || !this.#beginning.isEmpty;
  }

  #isUsed(now: number): boolean {
    return this.#start !== undefined && now - this.#start > BUDGET;
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
    // Each iteration accepts one connection, so it must be short. Reading would make it long.
    const isAccepting = this.#arrivals.count !== this.#accepted;
    const mayRead = now - this.#lastTurn >= MAX_WAIT || !(isAccepting || this.#isFull);
    // Not in every iteration, because a turn may use it up before resumed connections are read.
    this.#isTurn = mayRead && this.#hasTurn && (!this.#isTurn || this.#stopped.isEmpty);
    this.#begin(now);
    if (this.#isTurn) this.#takeTurn(now);
    else this.#stopped.resumeSome();
  }

  /** Resumes one waiting connection, and begins one: a single read can use up the next iteration. */
  #takeTurn(now: number): void {
    this.#lastTurn = now;
    const [next] = this.#paused;
    if (next) this.#paused.delete(next);
    next?.release('turn');
    const waiting = this.#beginning;
    for (let begin = waiting.shift(); begin && !this.#beginOne(begin);) begin = waiting.shift();
  }
}

/** Read turns of all connections, which share the event loop. */
export const readTurns = new ReadTurns();
