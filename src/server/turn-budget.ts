/** Milliseconds of work per iteration of the event loop; further work is queued. */
const BUDGET = 1;

const queue: (() => void)[] = [];
/** Start of the first work in this iteration, from performance.now(). */
let turnStart: number | undefined;

/**
 * Runs work at once or, if the budget of this iteration is used up, in a later one, in order. libuv
 * accepts one connection per iteration: if hundreds of responses that always have data to send made
 * iterations long, a new client would wait for seconds.
 */
export function withinTurn(work: () => void): void {
  if (turnStart === undefined) beginTurn();
  else if (queue.length > 0 || isOverBudget(turnStart)) {
    queue.push(work);
    return;
  }
  work();
}

/** Waits for a later iteration if the budget of this one is used up. */
export function shareTurn(): Promise<void> {
  return new Promise(withinTurn);
}

function isOverBudget(start: number): boolean {
  return performance.now() - start > BUDGET;
}

function beginTurn(): number {
  setImmediate(endTurn);
  turnStart = performance.now();
  return turnStart;
}

function endTurn(): void {
  turnStart = undefined;
  if (queue.length === 0) return;
  const start = beginTurn();
  do queue.shift()?.();
  while (queue.length > 0 && !isOverBudget(start));
}
