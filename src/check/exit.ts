import { SettingsError } from '../settings/settings-error.ts';
import { escapeControlsInLine } from './escape-controls.ts';
import { NotTestable } from './probe.ts';
import type { Streams } from './streams.ts';
import { errorText } from '../net/error-text.ts';

/** Exit codes. A usage error has 2, and is thrown as SettingsError. */
export const NO_FINDING = 0;
export const FINDINGS = 1;
export const NOT_TESTABLE = 3;
export const OWN_FAULT = 4;
export const INTERRUPTED = 130;

/** The user interrupted before the target was probed, so there is nothing to report. */
class Interrupted extends Error {}

/** Waits for the work. @throws Interrupted as soon as the user interrupts the run */
export function unlessInterrupted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new Interrupted());
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/**
 * Runs a command, and prints the error that ends it.
 *
 * @returns the exit code
 * @throws SettingsError for a usage error
 */
export async function exitCodeOf(
  command: () => Promise<number>,
  streams: Streams,
): Promise<number> {
  try {
    return await command();
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    if (error instanceof Interrupted) return INTERRUPTED;
    streams.error(`wirebin: ${escapeControlsInLine(errorText(error))}\n`);
    return error instanceof NotTestable ? NOT_TESTABLE : OWN_FAULT;
  }
}
