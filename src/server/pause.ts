import { setTimeout } from 'node:timers/promises';

/**
 * Waits.
 *
 * @param seconds may have a fraction; 0 does not wait
 * @param signal cancels the timer
 * @throws AbortError when `signal` aborts
 */
export async function pause(seconds: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (seconds > 0) await setTimeout(seconds * 1000, undefined, { signal });
}

/**
 * Calls `respond` after a delay; synchronously if the delay is 0.
 *
 * @param seconds may have a fraction
 * @throws AbortError when the signal of the request aborts
 */
export function delayed<T>(
  seconds: number,
  request: { readonly signal: AbortSignal },
  respond: () => T,
): T | Promise<T> {
  return seconds > 0 ? pause(seconds, request.signal).then(respond) : respond();
}
