/**
 * Iterations of the event loop within which a write completes if the client reads. More than one, because an inspected
 * connection writes in several steps in JavaScript.
 */
export const WRITE_ITERATIONS = 16;

/** Calls a function after a number of iterations of the event loop, at least one. */
export function afterIterations(iterations: number, call: () => void): void {
  setImmediate(() => {
    if (iterations > 1) afterIterations(iterations - 1, call);
    else call();
  });
}
