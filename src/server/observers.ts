import type { ExchangeObserver } from './exchange.ts';

/**
 * One observer for several.
 *
 * @returns the only one itself, and undefined if there is none, so that nothing is called for nobody
 */
export function observersOf(
  ...given: readonly (ExchangeObserver | undefined)[]
): ExchangeObserver | undefined {
  const all = given.filter((observer) => observer !== undefined);
  if (all.length < 2) return all[0];
  return {
    opened: (...event) => all.forEach((observer) => observer.opened(...event)),
    secured: (...event) => all.forEach((observer) => observer.secured(...event)),
    handshakeFailed: (...event) => all.forEach((observer) => observer.handshakeFailed(...event)),
    detected: (...event) => all.forEach((observer) => observer.detected?.(...event)),
    rejected: (...event) => all.forEach((observer) => observer.rejected(...event)),
    began: (...event) => all.forEach((observer) => observer.began?.(...event)),
    finished: (...event) => all.forEach((observer) => observer.finished(...event)),
    closing: (...event) => all.forEach((observer) => observer.closing?.(...event)),
    closed: (...event) => all.forEach((observer) => observer.closed(...event)),
  };
}
