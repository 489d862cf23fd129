/**
 * Iterations of the event loop until a write is complete, if the client reads: an inspected connection writes piece by
 * piece in JavaScript.
 */
export const WRITE_ITERATIONS = 16;

/** Calls the function after so many iterations of the event loop, at least one. */
export function afterIterations(iterations: number, call: () => void): void {
  setImmediate(() => {
    if (iterations > 1) afterIterations(iterations - 1, call);
    else call();
  });
}
