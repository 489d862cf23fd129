import { randomNumbers, resampledMedians, tailOf } from './bootstrap.ts';

/**
 * The quantile of the values, interpolated between neighbours; NaN without values.
 *
 * @param share from 0 to 1
 */
export function quantile(values: readonly number[] | Float64Array, share: number): number {
  const sorted = Float64Array.from(values).sort();
  const position = share * (sorted.length - 1);
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Results of two sides. */
export interface Samples {
  readonly target: readonly number[];
  readonly baseline: readonly number[];
  /** Whether values with the same index are of the same round. */
  readonly isPaired: boolean;
}

/** Median, with its confidence interval. */
export interface Estimate {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Ratio of target to baseline: the median of the rounds, or of unpaired samples the ratio of the medians.
 *
 * @param confidence of the interval, from 0 to 1
 * @returns undefined without values that have a ratio
 */
export function ratioOf(samples: Samples, confidence: number): Estimate | undefined {
  const { target, baseline } = positive(samples);
  const [one, other] = [target.map(Math.log), baseline.map(Math.log)];
  const logarithms = { ...samples, target: one, baseline: other };
  const estimate = differenceOf(logarithms, confidence);
  return (
    estimate && {
      median: Math.exp(estimate.median),
      low: Math.exp(estimate.low),
      high: Math.exp(estimate.high),
    }
  );
}

/** Zero has no logarithm: a side that did nothing has no ratio. */
function positive({ target, baseline, isPaired }: Samples): Omit<Samples, 'isPaired'> {
  const isRatio = (at: number): boolean => (target[at] ?? 0) > 0 && (baseline[at] ?? 0) > 0;
  return isPaired
    ? {
        target: target.filter((_, at) => isRatio(at)),
        baseline: baseline.filter((_, at) => isRatio(at)),
      }
    : {
        target: target.filter((value) => value > 0),
        baseline: baseline.filter((value) => value > 0),
      };
}

/**
 * Difference of target and baseline: the median of the rounds, or of unpaired samples the difference of the medians.
 * The interval is by bootstrap, and without bounds if there are too few rounds for the confidence.
 *
 * @param confidence of the interval, from 0 to 1
 * @returns undefined without values
 */
export function differenceOf(
  { target, baseline, isPaired }: Samples,
  confidence: number,
): Estimate | undefined {
  const count = Math.min(target.length, baseline.length);
  if (count === 0) return undefined;
  const random = randomNumbers();
  const differences = target.slice(0, count).map((value, at) => value - (baseline[at] ?? 0));
  const middle = isPaired ? median(differences) : median(target) - median(baseline);
  // All values are on the same side of the median with a probability of 2 ** (1 - count).
  if (2 ** (1 - count) > 1 - confidence) {
    return { median: middle, low: -Infinity, high: Infinity };
  }
  const medians = isPaired
    ? resampledMedians(differences, random)
    : differencesOf(resampledMedians(target, random), resampledMedians(baseline, random));
  const tail = tailOf(confidence, count);
  return {
    median: middle,
    low: quantile(medians, tail),
    high: quantile(medians, 1 - tail),
  };
}

const differencesOf = (target: Float64Array, baseline: Float64Array): Float64Array =>
  target.map((value, at) => value - (baseline[at] ?? Number.NaN));
