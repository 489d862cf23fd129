import type { TcpConnection } from './tcp-connection.ts';
import { FairQueue, NewestAndOldest } from './queues.ts';

/**
 * Bounds that keep many clients, or a few that send much, from delaying others and from using up the memory. Each
 * comment gives the unit and the reason.
 */
export const BOUNDS = {
  // Time
  /** Milliseconds of queued or long work per iteration of the event loop: libuv accepts only one connection in each. */
  turn: 1,
  /** Milliseconds below which the work of a request is not counted: taking turns would cost more. */
  uncountedTime: 0.25,
  /** Milliseconds into an iteration after which HTTP/2 connections take turns: Node decodes all that libuv reads. */
  reading: 10,
  /** Milliseconds per connection read in an iteration; if the sum exceeds `reading`, unread ones are then stopped. */
  readingEach: 1,
  /** Milliseconds into an iteration after which unread connections are stopped, however many were read. */
  readingAll: 100,
  /** Maximum milliseconds for which read turns wait for accepts: reading makes iterations longer. */
  readingWait: 200,
  /** Maximum milliseconds for which accepted connections stay unread so that more can be accepted. */
  acceptingWait: 1000,
  // Connections and jobs
  /** Maximum number of HTTP/2 connections per iteration whose reading is resumed: any of them may have sent much. */
  resumed: 1024,
  /** Maximum number of jobs in libuv's thread pool (UV_THREADPOOL_SIZE), which would queue any number in memory. */
  threadJobs: 4,
  /** Maximum number of these jobs that may take seconds. The other threads are left to short jobs. */
  largeThreadJobs: 2,
  /** Jobs that overtake one whose client has half-closed its connection: it may be gone, or wait for the response. */
  overtaking: 4,
  // Size of requests
  /** Largest piece of HTTP/1.x, in bytes, that is read even if the iteration is used up: it contains few requests. */
  smallPiece: 1024,
  /** Maximum characters in the target of a small request. Larger requests wait for a turn. */
  smallTarget: 2048,
  /** Maximum characters in the names and values of a small request. */
  smallSection: 4096,
  /** Maximum number of names and values of a small request. */
  smallFields: 256,
  /** Bytes of content, or of a response in memory, above which it takes turns of its own or is sent in pieces. */
  content: 64 * 1024,
  // Memory
  /** Bytes of content, or of a queued response, below which its memory is not counted: most are smaller. */
  uncountedContent: 16 * 1024,
  /** Number of names and values up to which the memory of a request's fields is not counted: most have fewer. */
  uncountedFields: 96,
  /** Maximum bytes in the counted fields of all open requests: Node keeps HTTP/2 fields outside V8's heap. */
  fieldMemory: 64e6,
} as const;

/**
 * Detects bursts of new connections. libuv accepts one per iteration of the event loop, so iterations must be short
 * while more are in the backlog: accepted connections are not read until an iteration has accepted none.
 */
export class Arrivals {
  /** Number of connections accepted so far. An iteration in which it does not change has accepted none. */
  count = 0;
  #waiting: (() => void)[] = [];
  /** Whether a burst is in progress. Connections accepted during it are read after it. */
  #isBurst = false;

  /** Call per accepted connection. @param read called immediately for the first of a burst, for others after it */
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

  /**
   * Ends the burst after an iteration without accepted connections.
   *
   * @param latest when it ends in any case, by performance.now()
   * @param before `count` in the previous iteration
   */
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

/** The queue in which work waits for a budget. */
type Queue = Pick<FairQueue<object, Work>, 'isEmpty' | 'has' | 'push' | 'shift'>;

/**
 * Runs work immediately or, if the time budget of this iteration is used up, in a later one. libuv accepts one
 * connection per iteration: if hundreds of responses with pending data made it long, a new client would wait for
 * seconds.
 */
export class TurnBudget {
  readonly #queue: Queue;
  /** Start of the first work in this iteration, from performance.now(). */
  #start: number | undefined;
  /** Whether the last queued work has resolved a `waitForTurn()`, so that code after an await is about to run. */
  #isAwaited = false;
  /** Owners whose requests were counted in this iteration. */
  readonly #counted = new Set<object>();

  constructor(queue: Queue) {
    this.#queue = queue;
  }

  /** @param owner takes turns with other owners; its own work runs in order */
  run(work: Work, owner: object = work): void {
    if (this.isSpent()) this.#queue.push(owner, work);
    else work();
  }

  /** Like `run()`. @returns the result of the work */
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

  /** Waits for a turn in a later iteration. The code that follows an await of it counts against the budget, too. */
  waitForTurn(owner: object): Promise<void> {
    if (this.#start === undefined) this.#begin(performance.now());
    return new Promise((resolve) => {
      this.#queue.push(owner, () => {
        this.#isAwaited = true;
        resolve();
      });
    });
  }

  /** Whether the budget of this iteration is used up. If not, the caller must begin work: this starts the clock. */
  isSpent(): boolean {
    if (this.#start !== undefined) return !this.#queue.isEmpty || isOver(this.#start);
    this.#begin(performance.now());
    return false;
  }

  /**
   * Whether the next request of this owner has to be queued, because its requests have used up the budget. Requests of
   * owners that have not used it are not queued.
   */
  isSpentBy(owner: object): boolean {
    if (this.#start === undefined) return false;
    return this.#queue.has(owner) || (this.#counted.has(owner) && isOver(this.#start));
  }

  /** Counts the work of a request. @param start when the work began, from performance.now() */
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
   * Runs queued work until the budget is used up. Code that awaits `waitForTurn()` runs before the next item is taken.
   * Other items run without a pause, because new requests have to wait while the queue is not empty.
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

/** The budget of all work that may take long. */
export const turns = new TurnBudget(new FairQueue());

function isOver(start: number): boolean {
  return performance.now() - start > BOUNDS.turn;
}

type Reading = Pick<TcpConnection, 'holdReading' | 'releaseReading'>;

/**
 * Decides which HTTP/2 connections are read. libuv reads up to 2 MiB of each per iteration of the event loop, and Node
 * decodes all of it first: thousands of small requests, or pieces of content, could make iterations take seconds. A
 * connection that uses up an iteration is paused until its turn, at most one per iteration. If too many are read in
 * one, the others are stopped, and resumed a few at a time, because it is not known which of them have sent much.
 */
export class ReadTurns {
  readonly #arrivals: Arrivals;
  /** When the first connection, request or piece of content of this iteration began, from performance.now(). */
  #start: number | undefined;
  readonly #open = new Set<Reading>();
  /** Connections with a request or piece of content in this iteration. The first one never pauses them. */
  readonly #seen = new Set<Reading>();
  /** Connections that have used up an iteration, in the order of their turns. */
  readonly #paused = new Set<Reading>();
  /** Connections that are not read because others have used up an iteration, in the order in which they are resumed. */
  readonly #stopped = new Set<Reading>();
  /** Connections that were resumed in the last iteration. */
  readonly #resumed = new Set<Reading>();
  /** Number of connections to resume next. */
  #count = FIRST_RESUMED;
  /** Whether connections were stopped in this iteration. */
  #hasStopped = false;
  /** Whether a resumed connection has used up this iteration. */
  #resumedTooMany = false;
  /** Connections that wait to begin, as functions that begin them. */
  readonly #beginning = new NewestAndOldest<() => Reading | undefined>();
  /** When a connection last had its turn or, if later, the first one began to wait, from performance.now(). */
  #lastTurn = 0;
  /** Whether this iteration began with a turn. In others, stopped connections are resumed. */
  #isTurn = false;
  /** `count` of arrivals at the start of this iteration. */
  #accepted = 0;

  constructor(all: Arrivals = arrivals) {
    this.#arrivals = all;
  }

  /**
   * Begins a connection; in a later iteration if this one is used up, because Node immediately decodes its first bytes.
   * Call `closed` when it has closed.
   *
   * @param begin returns undefined if the connection has closed in the meantime
   */
  admit(begin: () => Reading | undefined): void {
    const now = performance.now();
    // Starts the clock before the connection begins, because its first bytes may be frames that are not counted.
    if (this.#start === undefined) this.#begin(now);
    if (!this.#isSpent(now)) this.#beginOne(begin);
    else {
      if (!this.#isWaiting) this.#lastTurn = now;
      this.#beginning.push(this, begin);
    }
  }

  closed(connection: Reading): void {
    for (const set of [this.#open, this.#paused, this.#stopped, this.#resumed])
      set.delete(connection);
  }

  /** Counts a request or a piece of content; even one byte can cost as much. @param now from performance.now() */
  count(connection: Reading, now: number): void {
    if (this.#start === undefined) this.#begin(now);
    const isFirst = !this.#seen.has(connection);
    if (isFirst) this.#seen.add(connection);
    if (!this.#isSpent(now)) return;
    if (!this.#isWaiting) this.#lastTurn = now;
    if (!isFirst && !this.#paused.has(connection)) {
      this.#paused.add(connection);
      this.#stopped.delete(connection);
      if (this.#resumed.has(connection)) this.#resumedTooMany = true;
      connection.holdReading('turn');
    }
    const { reading, readingEach, readingAll } = BOUNDS;
    const allowed = Math.min(readingAll, Math.max(reading, readingEach * this.#seen.size));
    if (now - (this.#start ?? now) > allowed && !this.#hasStopped) this.#stop();
  }

  /** Stops reading the connections not read in this iteration, at most once. libuv then skips them. */
  #stop(): void {
    this.#hasStopped = true;
    const isUnread = (each: Reading): boolean => !this.#seen.has(each) && !this.#paused.has(each);
    const isNew = (each: Reading): boolean => !this.#stopped.has(each) && !this.#resumed.has(each);
    const before = [...this.#stopped];
    const resumed = [...this.#resumed].filter(isUnread);
    const others = [...this.#open].filter((each) => isNew(each) && isUnread(each));
    for (const each of [...resumed, ...others]) each.holdReading('turn');
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

  #isSpent(now: number): boolean {
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
    // An iteration that accepts a connection must be short, because the next one waits. Reading would make it long.
    const isAccepting = this.#arrivals.count !== this.#accepted;
    const mayRead = !isAccepting || now - this.#lastTurn >= BOUNDS.readingWait;
    // While connections are stopped, no two turns in a row: one may use up the iteration before resumed ones are read.
    this.#isTurn = mayRead && this.#hasTurn && (!this.#isTurn || this.#stopped.size === 0);
    this.#begin(now);
    if (this.#isTurn) this.#takeTurn(now);
    else this.#resumeSome();
  }

  /** Resumes one paused connection and begins a new one: a single read can use up the next iteration. */
  #takeTurn(now: number): void {
    this.#lastTurn = now;
    const [next] = this.#paused;
    if (next) this.#paused.delete(next);
    next?.releaseReading('turn');
    const waiting = this.#beginning;
    for (let begin = waiting.shift(); begin && !this.#beginOne(begin);) begin = waiting.shift();
  }

  /** Resumes some of the stopped connections, which are read in the next iteration. */
  #resumeSome(): void {
    for (const each of this.#stopped) {
      if (this.#resumed.size >= this.#count) break;
      this.#stopped.delete(each);
      this.#resumed.add(each);
      each.releaseReading('turn');
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

const FIRST_RESUMED = 4;

/** Read turns of all connections, which share the event loop. */
export const readTurns = new ReadTurns();
