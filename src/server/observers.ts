import type { ExchangeObserver } from './exchange.ts';

/**
 * Combines observers into one.
 *
 * @returns undefined if there is none; a single observer itself
 */
export function combineObservers(
  ...observers: readonly (ExchangeObserver | undefined)[]
): ExchangeObserver | undefined {
  const present = observers.filter((observer) => observer !== undefined);
  if (present.length < 2) return present[0];
  return {
    opened: (...event) => present.forEach((observer) => observer.opened(...event)),
    secured: (...event) => present.forEach((observer) => observer.secured(...event)),
    handshakeFailed: (...event) =>
      present.forEach((observer) => observer.handshakeFailed(...event)),
    detected: (...event) => present.forEach((observer) => observer.detected?.(...event)),
    rejected: (...event) => present.forEach((observer) => observer.rejected(...event)),
    began: (...event) => present.forEach((observer) => observer.began?.(...event)),
    finished: (...event) => present.forEach((observer) => observer.finished(...event)),
    closing: (...event) => present.forEach((observer) => observer.closing?.(...event)),
    closed: (...event) => present.forEach((observer) => observer.closed(...event)),
  };
}
