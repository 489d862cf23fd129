/**
 * A duration as it is shown: to the microsecond, so never with the noise of floating point behind.
 *
 * @param milliseconds a difference of performance.now()
 */
export function toMicrosecond(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}

/** The same since then. @param start by performance.now() */
export function millisecondsSince(start: number): number {
  return toMicrosecond(performance.now() - start);
}
