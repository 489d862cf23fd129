/**
 * The quantile of the values, interpolated between neighbours; NaN without values.
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

/** The results of a round on both sides. In rounds with an even number, the target was measured first. */
export interface Pair {
  /** Number of the round, from 0. */
  readonly round: number;
  readonly target: number;
  readonly direct: number;
}

/** Median over the pairs, with its 99 % confidence interval. */
export interface Estimate {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Smaller differences are not reported, however well rounds agree: share of the ratio, and below, milliseconds. */
const RATIO_RESOLUTION = 0.02;
const ADDED_RESOLUTION = 0.02;

/** Ratio of target to direct side. @returns undefined if no pair has a ratio */
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
 * Difference of target and direct side. The interval is that of Student's t for the mean of the pairs, and includes
 * their median. Its standard deviation is at least that between two loads of the same side, which should not differ.
 *
 * @param resolution minimum half width of the interval
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
  // A single pair has no error estimate.
  const half = count === 1 ? Infinity : Math.max(studentT(count - 1) * error, resolution);
  const middle = median(differences);
  return {
    median: middle,
    low: Math.min(middle, mean - half),
    high: Math.max(middle, mean + half),
  };
}

/**
 * Differences between the last load of a round and the first of the next one: same side, as close in time as a pair.
 */
function sameSideDifferences(pairs: readonly Pair[]): number[] {
  return pairs.flatMap((pair, at) => {
    const next = pairs[at + 1];
    if (next?.round !== pair.round + 1) return [];
    const side = pair.round % 2 === 0 ? 'direct' : 'target';
    return [next[side] - pair[side]];
  });
}

/** 99.5 % quantiles of the standard normal distribution and, below, of Student's t, from 1 degree of freedom on. */
const NORMAL = 2.576;
const STUDENT = [63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.25, 3.169] as const;

/** @returns for degrees of freedom beyond the table, a value at most 1 % above the exact one */
const studentT = (freedom: number): number => STUDENT[freedom - 1] ?? NORMAL * (1 + 2.3 / freedom);

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
