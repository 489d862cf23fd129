import { setTimeout } from 'node:timers/promises';

/**
 * Waits.
 *
 * @param seconds with fractions; 0 does not wait at all
 * @param gone lets go of the timer
 * @throws AbortError as soon as `gone` aborts
 */
export async function pause(seconds: number, gone: AbortSignal): Promise<void> {
  gone.throwIfAborted();
  if (seconds > 0) await setTimeout(seconds * 1000, undefined, { signal: gone });
}
