/**
 * The value below which a share of the values lies, interpolated between neighbours; NaN for no values.
 *
 * @param share from 0 to 1
 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const position = share * (sorted.length - 1);
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** What a round has measured on both sides. In rounds of even number, the target came first. */
export interface Pair {
  /** From 0. */
  readonly round: number;
  readonly target: number;
  readonly direct: number;
}

/** The median over the pairs, and the 99 % confidence interval. */
export interface Estimate {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Differences below this are not claimed, however well the rounds agree: a share of the ratio, and milliseconds. */
const RATIO_RESOLUTION = 0.02;
const ADDED_RESOLUTION = 0.02;

/** Target to direct. @returns undefined if no pair has a ratio */
export function pairedRatio(pairs: readonly Pair[]): Estimate | undefined {
  const logarithms = pairs
    .filter(({ target, direct }) => target > 0 && direct > 0)
    .map(({ round, target, direct }) => ({
      round,
      target: Math.log(target),
      direct: Math.log(direct),
    }));
  const estimate = pairedDifference(logarithms, Math.log1p(RATIO_RESOLUTION));
  return (
    estimate && {
      median: Math.exp(estimate.median),
      low: Math.exp(estimate.low),
      high: Math.exp(estimate.high),
    }
  );
}

/**
 * Target minus direct. The interval is that of Student's t for the mean of the pairs, and contains their median. Its
 * standard deviation is at least what two loads of the same side differ: between those there is nothing.
 *
 * @param resolution the least half of the interval
 * @returns undefined without pairs
 */
export function pairedDifference(
  pairs: readonly Pair[],
  resolution = ADDED_RESOLUTION,
): Estimate | undefined {
  const differences = pairs.map(({ target, direct }) => target - direct);
  const count = differences.length;
  if (count === 0) return undefined;
  const mean = sum(differences) / count;
  const variance = sum(differences.map((value) => (value - mean) ** 2)) / (count - 1);
  const noise = sameSideDifferences(pairs);
  const noiseVariance = sum(noise.map((value) => value ** 2)) / Math.max(1, noise.length);
  const error = Math.sqrt(Math.max(variance, noiseVariance) / count);
  // A single pair tells nothing about its error.
  const half = count === 1 ? Infinity : Math.max(studentT(count - 1) * error, resolution);
  const middle = median(differences);
  return {
    median: middle,
    low: Math.min(middle, mean - half),
    high: Math.max(middle, mean + half),
  };
}

/** The last load of a round and the first of the next one are of the same side, and as close in time as a pair. */
function sameSideDifferences(pairs: readonly Pair[]): number[] {
  return pairs.flatMap((pair, at) => {
    const next = pairs[at + 1];
    if (next?.round !== pair.round + 1) return [];
    const side = pair.round % 2 === 0 ? 'direct' : 'target';
    return [next[side] - pair[side]];
  });
}

/** The 99.5 % quantile of the standard normal distribution, and those of Student's t, by degrees of freedom from 1. */
const NORMAL = 2.576;
const STUDENT = [63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.25, 3.169] as const;

/** @returns for more degrees of freedom than the table has, a value at most 1 % above the exact one */
const studentT = (freedom: number): number => STUDENT[freedom - 1] ?? NORMAL * (1 + 2.3 / freedom);

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
