/** Milliseconds of a turn of the event loop that paced responses may take together. */
const BUDGET = 0.5;

const queue: (() => void)[] = [];
let isScheduled = false;

/**
 * Does work in the next turn of the event loop, after all that was queued before; in a later one if
 * those before it use the turn's budget up. libuv accepts one connection in each turn: with turns made
 * long by a thousand responses that always have something due, a new client would wait for seconds.
 */
export function queueWork(work: () => void): void {
  queue.push(work);
  schedule();
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(perform);
}

function perform(): void {
  isScheduled = false;
  const end = performance.now() + BUDGET;
  // What is queued meanwhile has the next turn.
  for (let left = queue.length; left > 0 && performance.now() < end; left--) queue.shift()?.();
  if (queue.length > 0) schedule();
}
