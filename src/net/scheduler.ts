import type { Connection } from './connection.ts';
import { FairQueue, NewestAndOldest } from './queues.ts';

/**
 * What is bounded so that many clients, or a few that send much, neither delay others nor use up the memory. The comments
 * say in which unit, and why.
 */
export const BOUNDS = {
  // Time
  /** Milliseconds of queued or long work per iteration of the event loop: libuv accepts one connection in each. */
  turn: 1,
  /** Milliseconds of a request that do not count: taking turns would cost more. */
  uncountedTime: 0.25,
  /** Milliseconds of an iteration until HTTP/2 connections take turns in being read: Node decodes all that libuv reads. */
  reading: 10,
  /** Milliseconds for each of them that was read, if that is more than `reading`, until the others are not read. */
  readingEach: 1,
  /** Milliseconds of an iteration until the others are not read, however many were. */
  readingAll: 100,
  /** Milliseconds that a turn of reading waits while connections are accepted: it makes iterations longer. */
  readingWait: 200,
  /** Milliseconds that accepted connections are not read while more are accepted: they would have to wait. */
  acceptingWait: 1000,
  // Connections and jobs
  /** HTTP/2 connections per iteration whose reading is resumed: it is not known which of them have sent much. */
  resumed: 1024,
  /** Jobs in libuv's thread pool (UV_THREADPOOL_SIZE): libuv would queue any number, and keep their memory. */
  threadJobs: 4,
  /** Jobs of these that may take seconds: others have the rest of the threads. */
  largeThreadJobs: 2,
  // Size of requests
  /** Bytes of HTTP/1.x that are read even in an iteration that is used up: they contain few requests. */
  smallPiece: 1024,
  /** Characters of a target, and of all fields, names and values: a larger request takes a turn. */
  smallTarget: 2048,
  smallSection: 4096,
  smallFields: 256,
  /** Bytes of content, or of a response in memory: larger ones take turns of their own, or go out in pieces. */
  content: 64 * 1024,
  // Memory
  /** Bytes of content, or of a queued response, that are not counted: most are smaller. */
  uncountedContent: 16 * 1024,
  /** Names and values of a request that are not counted: most have fewer. */
  uncountedFields: 96,
  /** Bytes of the fields of all open requests with more: Node keeps those of HTTP/2 outside of V8's heap. */
  fieldMemory: 64e6,
} as const;

/**
 * Detects bursts of new connections. libuv accepts one per iteration of the event loop, so iterations must be short
 * while more are in the backlog: accepted ones are not read until an iteration has accepted none.
 */
export class Arrivals {
  /** Number of connections accepted so far. An iteration in which it does not change has accepted none. */
  count = 0;
  #waiting: (() => void)[] = [];
  /** Whether a burst is in progress. Connections accepted during it are read after it. */
  #isBurst = false;

  /** Call for each accepted connection. @param read called at once for the first one of a burst, for others after it */
  add(read: () => void): void {
    this.count++;
    if (this.#isBurst) {
      this.#waiting.push(read);
      return;
    }
    this.#isBurst = true;
    this.#endIteration(performance.now() + BOUNDS.acceptingWait, -1);
    read();
  }

  /** Ends the burst after an iteration without accepted connections. @param before `count` in the previous iteration */
  #endIteration(latest: number, before: number): void {
    setImmediate(() => {
      const { count } = this;
      if (count !== before && performance.now() < latest) {
        this.#endIteration(latest, count);
        return;
      }
      this.#isBurst = false;
      for (const read of this.#waiting.splice(0)) read();
    });
  }
}

/** Arrivals at all listeners, which share the event loop. */
export const arrivals = new Arrivals();

type Work = () => void;

/** The queued work of a budget. */
type Queue = Pick<FairQueue<object, Work>, 'isEmpty' | 'has' | 'push' | 'shift'>;

/**
 * Runs work at once or, if the time budget of this iteration is used up, in a later one. libuv accepts one connection
 * per iteration: if hundreds of responses with pending data made iterations long, a new client would wait for seconds.
 */
export class TurnBudget {
  readonly #queue: Queue;
  /** Start of the first work in this iteration, from performance.now(). */
  #start: number | undefined;
  /** Whether the work that was taken last is what follows `waitForTurn()`. */
  #isAwaited = false;
  /** Owners whose requests were counted in this iteration. */
  readonly #counted = new Set<object>();

  constructor(queue: Queue) {
    this.#queue = queue;
  }

  /** @param owner takes turns with other owners; its own work runs in order */
  run(work: Work, owner: object = work): void {
    if (this.isUsed()) this.#queue.push(owner, work);
    else work();
  }

  /** As `run()`. @returns the result of the work */
  resultOf<T>(owner: object, work: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.run(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      }, owner);
    });
  }

  /** Waits for a turn in a later iteration. Work that follows an await of it is counted, too. */
  waitForTurn(owner: object): Promise<void> {
    if (this.#start === undefined) this.#begin(performance.now());
    return new Promise((resolve) => {
      this.#queue.push(owner, () => {
        this.#isAwaited = true;
        resolve();
      });
    });
  }

  /** Whether the budget of this iteration is used up. If not, the caller has to begin work. */
  isUsed(): boolean {
    if (this.#start !== undefined) return !this.#queue.isEmpty || isOver(this.#start);
    this.#begin(performance.now());
    return false;
  }

  /**
   * Whether the next request of this owner has to be queued, because its requests have used up the budget. Requests of
   * owners that have not used it are not queued.
   */
  isUsedBy(owner: object): boolean {
    if (this.#start === undefined) return false;
    return this.#queue.has(owner) || (this.#counted.has(owner) && isOver(this.#start));
  }

  /** Counts the work of a request. @param start from performance.now() */
  count(start: number, owner: object): void {
    if (performance.now() - start < BOUNDS.uncountedTime) return;
    if (this.#start === undefined) this.#begin(start);
    this.#counted.add(owner);
  }

  #begin(start: number): void {
    setImmediate(() => this.#end());
    this.#start = start;
  }

  #end(): void {
    this.#start = undefined;
    this.#counted.clear();
    if (this.#queue.isEmpty) return;
    const start = performance.now();
    this.#begin(start);
    this.#runQueued(start);
  }

  /**
   * Runs queued work until the budget is used up. Work that awaits `waitForTurn()` finishes before the next item begins. All
   * other items run without a pause, because new requests would have to wait while the queue is not empty.
   */
  #runQueued(start: number): void {
    while (!this.#queue.isEmpty && !isOver(start)) {
      this.#isAwaited = false;
      this.#queue.shift()?.();
      if (!this.#isAwaited) continue;
      queueMicrotask(() => process.nextTick(() => this.#runQueued(start)));
      return;
    }
  }
}

/** Budget of all work that may take long. */
export const turns = new TurnBudget(new FairQueue());

function isOver(start: number): boolean {
  return performance.now() - start > BOUNDS.turn;
}

type Reading = Pick<Connection, 'hold' | 'release'>;

/**
 * Decides which HTTP/2 connections are read. libuv reads up to 2 MiB of each per iteration of the event loop, and Node
 * decodes all of it first: thousands of small requests, or pieces of content, could make iterations take seconds. A
 * connection that uses up an iteration is paused until its turn, one per iteration. If too many are read in one, the
 * others are stopped, and resumed a few at a time, because it is not known which of them have sent much.
 */
export class ReadTurns {
  readonly #arrivals: Arrivals;
  /** When this iteration's first connection began, or its first request or piece of content came, from performance.now(). */
  #start: number | undefined;
  readonly #open = new Set<Reading>();
  /** Connections with a request or piece of content in this iteration. Their first one never makes them wait. */
  readonly #seen = new Set<Reading>();
  /** Connections that have used up an iteration, in the order of their turns. */
  readonly #paused = new Set<Reading>();
  /** Connections that are not read because others have used up an iteration, in the order in which they are resumed. */
  readonly #stopped = new Set<Reading>();
  /** Connections that were resumed in the last iteration, and how many are to be resumed next. */
  readonly #resumed = new Set<Reading>();
  #count = FIRST_RESUMED;
  /** Whether connections were stopped in this iteration, and whether a resumed one has used it up. */
  #hasStopped = false;
  #resumedTooMany = false;
  /** Functions that begin connections. */
  readonly #beginning = new NewestAndOldest<() => Reading | undefined>();
  /** When a connection last had its turn, or the first began to wait, from performance.now(). */
  #lastTurn = 0;
  /** Whether this iteration began with a turn. In others, stopped connections are resumed. */
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
    if (!this.#isUsed(now)) this.#beginOne(begin);
    else {
      if (!this.#isWaiting) this.#lastTurn = now;
      this.#beginning.push(this, begin);
    }
  }

  closed(connection: Reading): void {
    for (const set of [this.#open, this.#paused, this.#stopped, this.#resumed])
      set.delete(connection);
  }

  /** Counts a request, or a piece of content: one byte can cost as much as a request. @param now from performance.now() */
  count(connection: Reading, now: number): void {
    if (this.#start === undefined) this.#begin(now);
    const isFirst = !this.#seen.has(connection);
    if (isFirst) this.#seen.add(connection);
    if (!this.#isUsed(now)) return;
    if (!this.#isWaiting) this.#lastTurn = now;
    if (!isFirst && !this.#paused.has(connection)) {
      this.#paused.add(connection);
      this.#stopped.delete(connection);
      if (this.#resumed.has(connection)) this.#resumedTooMany = true;
      connection.hold('turn');
    }
    const { reading, readingEach, readingAll } = BOUNDS;
    const allowed = Math.min(readingAll, Math.max(reading, readingEach * this.#seen.size));
    if (now - (this.#start ?? now) > allowed && !this.#hasStopped) this.#stop();
  }

  /** Stops reading the others, at most once per iteration. libuv skips those that it has not read yet. */
  #stop(): void {
    this.#hasStopped = true;
    const isUnread = (each: Reading): boolean => !this.#seen.has(each) && !this.#paused.has(each);
    const isNew = (each: Reading): boolean => !this.#stopped.has(each) && !this.#resumed.has(each);
    const before = [...this.#stopped];
    const resumed = [...this.#resumed].filter(isUnread);
    const others = [...this.#open].filter((each) => isNew(each) && isUnread(each));
    for (const each of [...resumed, ...others]) each.hold('turn');
    this.#stopped.clear();
    // Resumed connections that were not read yet come first.
    for (const each of [...resumed, ...before, ...others]) this.#stopped.add(each);
  }

  get #isWaiting(): boolean {
    return this.#hasTurn || this.#stopped.size > 0;
  }

  get #hasTurn(): boolean {
    return this.#paused.size > 0 || !this.#beginning.isEmpty;
  }

  #isUsed(now: number): boolean {
    return this.#start !== undefined && now - this.#start > BOUNDS.reading;
  }

  #begin(now: number): void {
    this.#start = now;
    this.#accepted = this.#arrivals.count;
    setImmediate(() => this.#end());
  }

  #beginOne(begin: () => Reading | undefined): boolean {
    const connection = begin();
    if (connection) this.#open.add(connection);
    return connection !== undefined;
  }

  #end(): void {
    this.#start = undefined;
    this.#seen.clear();
    this.#setCount();
    if (!this.#isWaiting) return;
    const now = performance.now();
    // Each iteration accepts one connection, so it must be short. Reading would make it long.
    const isAccepting = this.#arrivals.count !== this.#accepted;
    const mayRead = !isAccepting || now - this.#lastTurn >= BOUNDS.readingWait;
    // Not in every iteration, because a turn may use it up before resumed connections are read.
    this.#isTurn = mayRead && this.#hasTurn && (!this.#isTurn || this.#stopped.size === 0);
    this.#begin(now);
    if (this.#isTurn) this.#takeTurn(now);
    else this.#resumeSome();
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

  /** Resumes some connections, which are read in the next iteration. */
  #resumeSome(): void {
    for (const each of this.#stopped) {
      if (this.#resumed.size >= this.#count) break;
      this.#stopped.delete(each);
      this.#resumed.add(each);
      each.release('turn');
    }
  }

  /** Doubles the number of connections to resume, or halves it if they used up the iteration. */
  #setCount(): void {
    // Resuming fewer would not help if other connections used it up: most are idle or have sent little.
    if (this.#resumedTooMany) this.#count = Math.max(1, Math.floor(this.#count / 2));
    else if (this.#resumed.size > 0) this.#count = Math.min(BOUNDS.resumed, 2 * this.#count);
    if (this.#stopped.size === 0) this.#count = FIRST_RESUMED;
    this.#hasStopped = false;
    this.#resumedTooMany = false;
    if (this.#resumed.size > 0) this.#resumed.clear();
  }
}

/** Number of connections resumed first. */
const FIRST_RESUMED = 4;

/** Read turns of all connections, which share the event loop. */
export const readTurns = new ReadTurns();
