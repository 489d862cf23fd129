/** The time of a row, which ends its rounds. */
export interface RowTime {
  readonly rounds: number;
  /** When it is over, by performance.now(), if the results are still unclear. */
  readonly end: number;
  /** Whether it then ends with less rounds than were asked for. */
  readonly isStrict: boolean;
}

/** The part of a row's time for its first kind of rounds. */
export function halfOf({ end, ...time }: RowTime): RowTime {
  const now = performance.now();
  return { ...time, end: now + (end - now) / 2 };
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
  for (let done = 1; ; done++) {
    const start = performance.now();
    await measure(done - 1);
    const now = performance.now();
    const isLate = now + (now - start) > end;
    const isEnough = done >= rounds && (isLate || isClear());
    if (isEnough || (isStrict && isLate)) return;
  }
}
