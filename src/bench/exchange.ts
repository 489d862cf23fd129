import { randomNumbers } from './bootstrap.ts';
import { percentilesOf, poolOf, stepsOf, type LatencyPairs } from './pooled.ts';

/** Most exchanges that are tried: all that there are, up to 13 rounds. */
const EXCHANGES = 2 ** 13;

/**
 * Whether percentiles of the target are certainly greater: a randomization test (E. Edgington, Randomization Tests). If
 * the sides were alike, either load of a round might as well be that of the other side. So the sides are exchanged in
 * some of the rounds, at random. What so few exchanges show as great a ratio of, does not come by chance, however the
 * latencies scatter, and if some rounds only are slow.
 *
 * @param percents in ascending order
 * @param least what of a latency of the target has to be greater than one of the baseline, in milliseconds
 * @param chance share of the exchanges that may do so
 */
export function isGreater(
  { target, baseline }: LatencyPairs,
  percents: readonly number[],
  least: (milliseconds: number) => number,
  chance: number,
): boolean[] {
  const { length } = target;
  // The rounds of the baseline are numbered after those of the target.
  const pool = poolOf(
    [
      ...target.flatMap((each, round) =>
        stepsOf(each, round, (value) => Math.max(MIN, least(value))),
      ),
      ...baseline.flatMap((each, round) => stepsOf(each, round + length)),
    ],
    2 * length,
  );
  const [one, other] = [new Uint32Array(2 * length), new Uint32Array(2 * length)];
  const ratiosOf = (isExchanged: (round: number) => boolean): number[] => {
    for (let round = 0; round < length; round++) {
      const side = isExchanged(round) ? 1 : 0;
      one[round] = other[round + length] = 1 - side;
      one[round + length] = other[round] = side;
    }
    const baselines = percentilesOf(pool, other, percents);
    return percentilesOf(pool, one, percents).map((value, at) => value / (baselines[at] ?? value));
  };
  const found = ratiosOf(() => false);
  const tries = Math.min(EXCHANGES, 2 ** length);
  const most = Math.floor(chance * tries);
  const counts = found.map((ratio) => (ratio > 1 ? 1 : Infinity));
  const random = randomNumbers();
  for (let exchange = 1; exchange < tries && counts.some((count) => count <= most); exchange++) {
    const ratios = ratiosOf(
      tries === EXCHANGES ? () => random() < 0.5 : (round) => ((exchange >> round) & 1) === 1,
    );
    for (const [at, ratio] of ratios.entries()) {
      if (ratio >= (found[at] ?? Infinity)) counts[at] = (counts[at] ?? 0) + 1;
    }
  }
  return counts.map((count) => count <= most);
}

/** A nanosecond, in milliseconds. */
const MIN = 1e-6;
