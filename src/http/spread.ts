import { pause } from './pause.ts';

/**
 * Spreads things over a duration: the first is due at once, the last when it is over, the others in
 * even steps between them. Timers count in milliseconds and a client may be slow, so that several
 * may be due together.
 *
 * @param seconds from the first to the last
 * @param gone ends it, with an AbortError
 * @param jitter 0 to 1: the most that the time between two neighbours is off, as a part of a step;
 * the duration stays what it is
 * @returns how many are due by now, each time that there are more
 */
export async function* spread(
  count: number,
  seconds: number,
  gone: AbortSignal,
  jitter = 0,
): AsyncGenerator<number> {
  const start = performance.now();
  const step = count > 1 ? (seconds * 1000) / (count - 1) : 0;
  let due = 0;
  let next = 0;
  while (due < count) {
    await pause((start + next - performance.now()) / 1000, gone);
    const now = performance.now() - start;
    // A timer may be early.
    if (next > now) continue;
    while (due < count && next <= now) {
      due++;
      const isLast = due === count - 1;
      next = (due + (isLast ? 0 : jitter * (Math.random() - 0.5))) * step;
    }
    yield due;
  }
}
