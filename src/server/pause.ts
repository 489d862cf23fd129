import { setTimeout } from 'node:timers/promises';

/**
 * Waits.
 *
 * @param seconds with fractions; 0 does not wait at all
 * @param signal lets go of the timer
 * @throws AbortError as soon as `signal` aborts
 */
export async function pause(seconds: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (seconds > 0) await setTimeout(seconds * 1000, undefined, { signal });
}

/**
 * Answers after a pause; without one at once, and then there is nothing that could be let go of.
 *
 * @param seconds as above
 * @throws AbortError as above
 */
export function delayed<T>(
  seconds: number,
  request: { readonly signal: AbortSignal },
  answer: () => T,
): T | Promise<T> {
  return seconds > 0 ? pause(seconds, request.signal).then(answer) : answer();
}
