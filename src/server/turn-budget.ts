/** Milliseconds of a turn of the event loop after which what else there is to send waits. */
const BUDGET = 1;

const queue: (() => void)[] = [];
/** When the first work of this turn began, by performance.now(). */
let turnBegan: number | undefined;

/**
 * Does work at once or, where this turn of the event loop has taken long, in a later one, in order.
 * libuv accepts one connection in each turn: with turns made long by hundreds of responses that always
 * have something to send, a new client would wait for seconds.
 */
export function withinTurn(work: () => void): void {
  if (turnBegan === undefined) beginTurn();
  else if (queue.length > 0 || isOver(turnBegan)) {
    queue.push(work);
    return;
  }
  work();
}

function isOver(began: number): boolean {
  return performance.now() - began > BUDGET;
}

function beginTurn(): number {
  setImmediate(endTurn);
  turnBegan = performance.now();
  return turnBegan;
}

function endTurn(): void {
  turnBegan = undefined;
  if (queue.length === 0) return;
  const began = beginTurn();
  do queue.shift()?.();
  while (queue.length > 0 && !isOver(began));
}
