import { FairQueue } from './fair-queue.ts';

/** Milliseconds of work per iteration of the event loop; further work is queued. */
const BUDGET = 1;
/** Milliseconds below which the work of a request is not counted: to share it would cost more. */
const SMALL = 0.25;

type Work = () => void;

/** The work that a budget has queued. */
interface Queue {
  readonly isEmpty: boolean;
  has(owner: object): boolean;
  push(owner: object, work: Work): void;
  shift(): Work | undefined;
}

/** The latest work first: under a flood of clients those at the front of a queue may have given up already. */
export class NewestFirst implements Queue {
  readonly #works: Work[] = [];

  get isEmpty(): boolean {
    return this.#works.length === 0;
  }

  has(): boolean {
    return false;
  }

  push(_owner: object, work: Work): void {
    this.#works.push(work);
  }

  shift(): Work | undefined {
    return this.#works.pop();
  }
}

/**
 * Runs work at once or, if the budget of this iteration is used up, in a later one. libuv
 * accepts one connection per iteration: if hundreds of responses that always have data to send made
 * iterations long, a new client would wait for seconds.
 */
export class TurnBudget {
  readonly #queue: Queue;
  /** Start of the first work in this iteration, from performance.now(). */
  #start: number | undefined;
  /** Those whose requests have been counted in this iteration. */
  readonly #counted = new Set<object>();

  constructor(queue: Queue = new FairQueue<object, Work>()) {
    this.#queue = queue;
  }

  /** @param owner takes turns with others; its own work runs in order */
  run(work: Work, owner: object = work): void {
    if (this.isUsed()) this.#queue.push(owner, work);
    else work();
  }

  /** Runs work as above. @returns its result */
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

  /** Whether the budget of this iteration is used up; otherwise work begins. */
  isUsed(): boolean {
    if (this.#start !== undefined) return !this.#queue.isEmpty || isOver(this.#start);
    this.#begin(performance.now());
    return false;
  }

  /**
   * Whether the next request of this owner is to be queued: its requests have used up the budget. Those
   * of others are not queued, since they have used none of it.
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
    do this.#queue.shift()?.();
    while (!this.#queue.isEmpty && !isOver(start));
  }
}

/** Of all work that may take long. */
export const turns = new TurnBudget();

/** Of requests that take little while connections arrive: they do not wait for what takes long. */
export const smallRequests = new TurnBudget();

/** Milliseconds after a connection was accepted in which more are likely to wait. */
const ARRIVAL = 50;

let lastAccepted = -ARRIVAL;

/** Call for each connection that is accepted. */
export function accepted(): void {
  lastAccepted = performance.now();
}

/** When the newest connection was accepted, from performance.now(). */
export function lastAcceptedAt(): number {
  return lastAccepted;
}

/** Whether connections have been accepted lately, so that iterations have to be short. @param now from performance.now() */
export function connectionsArrive(now: number): boolean {
  return now - lastAccepted < ARRIVAL;
}

function isOver(start: number): boolean {
  return performance.now() - start > BUDGET;
}
