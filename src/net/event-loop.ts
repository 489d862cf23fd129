/**
 * Iterations of the event loop within which a write is complete if the client reads. Inspected connections write in
 * several steps in JavaScript.
 */
export const WRITE_ITERATIONS = 16;

/** Calls a function after so many iterations of the event loop, at least one. */
export function afterIterations(iterations: number, call: () => void): void {
  setImmediate(() => {
    if (iterations > 1) afterIterations(iterations - 1, call);
    else call();
  });
}
