/** The time of a row, which ends its rounds. */
export interface RowTime {
  readonly rounds: number;
  /** When it is over, by performance.now(), if the results are still unclear. */
  readonly end: number;
  /** Whether it then ends with less rounds than were asked for. */
  readonly isStrict: boolean;
}

/**
 * Factor of the numbers of rounds after which it is looked whether they are clear: each look is one more chance to be
 * wrong, so that there are few.
 */
const LOOKS = 1.5;

/** Share of a row's time for its rounds at full load, which are shorter than those at the fixed rate. */
const FULL_LOADS = 1 / 3;

/** The part of a row's time that is for its rounds at full load. */
export function fullLoadTime({ end, ...time }: RowTime): RowTime {
  const now = performance.now();
  return { ...time, end: now + (end - now) * FULL_LOADS };
}

/**
 * Repeats rounds until there are enough of them and they are clear, or another one would take too long.
 *
 * @param measure a round, from 0
 */
export async function repeatRounds(
  measure: (round: number) => Promise<void>,
  isClear: () => boolean,
  { rounds, end, isStrict }: RowTime,
): Promise<void> {
  let look = rounds;
  for (let done = 1; ; done++) {
    const start = performance.now();
    await measure(done - 1);
    const now = performance.now();
    const isLate = now + (now - start) > end;
    const isLooked = done === look;
    if (isLooked) look = Math.max(look + 1, Math.floor(look * LOOKS));
    const isEnough = done >= rounds && (isLate || (isLooked && isClear()));
    if (isEnough || (isStrict && isLate)) return;
  }
}
