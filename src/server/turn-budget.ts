import { FairQueue } from './fair-queue.ts';

/** Milliseconds of work per iteration of the event loop; further work is queued. */
const BUDGET = 1;
/** Milliseconds below which the work of a request is not counted: to share it would cost more. */
const SMALL = 0.25;

/** Work by what it is for: a connection, or only itself. */
const queue = new FairQueue<object, () => void>();
/** Start of the first work in this iteration, from performance.now(). */
let turnStart: number | undefined;
/** Those whose requests have been counted in this iteration. */
const counted = new Set<object>();

/**
 * Runs work at once or, if the budget of this iteration is used up, in a later one. libuv
 * accepts one connection per iteration: if hundreds of responses that always have data to send made
 * iterations long, a new client would wait for seconds.
 *
 * @param owner takes turns with others; its own work runs in order
 */
export function withinTurn(work: () => void, owner: object = work): void {
  if (turnStart === undefined) beginTurn(performance.now());
  else if (!queue.isEmpty || isOverBudget(turnStart)) {
    queue.push(owner, work);
    return;
  }
  work();
}

/** Runs work as above. @returns its result */
export function inTurn<T>(owner: object, work: () => T | Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    withinTurn(() => {
      try {
        resolve(work());
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    }, owner);
  });
}

/**
 * Whether the next request of this owner is to be queued: its requests have used up the budget. Those
 * of others are not queued, since they have used none of it.
 */
export function hasUsedTurn(owner: object): boolean {
  if (turnStart === undefined) return false;
  return queue.has(owner) || (counted.has(owner) && isOverBudget(turnStart));
}

/** Counts the work of a request. @param start from performance.now() */
export function countWork(start: number, owner: object): void {
  if (performance.now() - start < SMALL) return;
  if (turnStart === undefined) beginTurn(start);
  counted.add(owner);
}

function isOverBudget(start: number): boolean {
  return performance.now() - start > BUDGET;
}

function beginTurn(start: number): void {
  setImmediate(endTurn);
  turnStart = start;
}

function endTurn(): void {
  turnStart = undefined;
  counted.clear();
  if (queue.isEmpty) return;
  const start = performance.now();
  beginTurn(start);
  do queue.shift()?.();
  while (!queue.isEmpty && !isOverBudget(start));
}
