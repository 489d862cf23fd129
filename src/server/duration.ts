/** Rounds milliseconds to microseconds, which removes floating-point noise. */
export function toMicrosecond(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}

/** Milliseconds since `start`, to the microsecond. @param start from performance.now() */
export function millisecondsSince(start: number): number {
  return toMicrosecond(performance.now() - start);
}
