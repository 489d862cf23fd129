import { FairQueue } from './fair-queue.ts';

/** Milliseconds of work per iteration of the event loop. Further work is queued. */
const BUDGET = 1;
/** Milliseconds below which the work of a request is not counted: taking turns would cost more. */
const SMALL = 0.25;

type Work = () => void;

/** The queued work of a budget. */
interface Queue {
  readonly isEmpty: boolean;
  has(owner: object): boolean;
  push(owner: object, work: Work): void;
  shift(): Work | undefined;
}

/**
 * A queue that returns the newest and the oldest item alternately. In a flood of clients, the oldest may have given up
 * already, and there may always be newer ones.
 */
export class NewestAndOldest<Item> {
  readonly #items: Item[] = [];
  #isNewestNext = true;

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  /* v8 ignore next -- for isUsedBy(), which asks only the turns of requests; owners are not distinguished */
  has(): boolean {
    return false;
  }

  push(_owner: unknown, item: Item): void {
    this.#items.push(item);
  }

  shift(): Item | undefined {
    const item = this.#isNewestNext ? this.#items.pop() : this.#items.shift();
    this.#isNewestNext = !this.#isNewestNext;
    return item;
  }
}

/**
 * Runs work at once or, if the time budget of this iteration is used up, in a later one. libuv accepts one connection
 * per iteration: if hundreds of responses with pending data made iterations long, a new client would wait for seconds.
 */
export class TurnBudget {
  readonly #queue: Queue;
  /** Start of the first work in this iteration, from performance.now(). */
  #start: number | undefined;
  /** Whether the work that was taken last is what follows `next()`. */
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
  next(owner: object): Promise<void> {
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
    if (performance.now() - start < SMALL) return;
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
   * Runs queued work until the budget is used up. Work that awaits `next()` finishes before the next item begins. All
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
  return performance.now() - start > BUDGET;
}
