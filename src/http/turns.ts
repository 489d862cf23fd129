import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';

/** Milliseconds. */
const LONG = 20;

let last: Promise<unknown> = Promise.resolve();

/**
 * Makes what takes long or takes much memory: one after another, each in a turn of the event loop of
 * its own, so that other requests are heard between them.
 */
export function inTurn<Made>(make: () => Made | Promise<Made>): Promise<Made> {
  const making = last.then(rest).then(make);
  last = making.catch(() => undefined);
  return making;
}

/** A turn; behind one that took long, as long again: libuv accepts one connection a turn. */
async function rest(): Promise<void> {
  const start = performance.now();
  await turn();
  const took = performance.now() - start;
  if (took > LONG) await pause(took);
}
