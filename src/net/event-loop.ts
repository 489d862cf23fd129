/**
 * Turns of the event loop until a write is complete, if the client reads: an inspected connection writes piece by
 * piece in JavaScript.
 */
export const WRITE_TURNS = 16;

/** Calls the function after so many turns of the event loop, at least one. */
export function afterTurns(turns: number, call: () => void): void {
  setImmediate(() => {
    if (turns > 1) afterTurns(turns - 1, call);
    else call();
  });
}
