import { setImmediate as turn } from 'node:timers/promises';

let last: Promise<unknown> = Promise.resolve();

/**
 * Makes what takes long or takes much memory: one after another, each in a turn of the event loop of
 * its own, so that other requests are heard between them.
 */
export function inTurn<Made>(make: () => Made | Promise<Made>): Promise<Made> {
  const making = last.then(() => turn()).then(make);
  last = making.catch(() => undefined);
  return making;
}
