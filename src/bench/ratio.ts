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
  const part = position - Math.floor(position);
  // Values may be infinite.
  return part === 0 || below === above ? below : below * (1 - part) + above * part;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Results of two sides. */
export interface Samples {
  readonly target: readonly number[];
  readonly baseline: readonly number[];
  /** Whether values with the same index are of the same round. */
  readonly isPaired: boolean;
}

/** A figure, with its confidence interval. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Ratio of target to baseline: the median of the rounds, or of unpaired samples the ratio of the medians. It is 0 where
 * the target has done nothing, and Infinity where the baseline has.
 *
 * @param confidence of the interval, from 0 to 1
 * @returns undefined without values that have a ratio
 */
export function ratioOf(samples: Samples, confidence: number): Estimate | undefined {
  const { target, baseline } = samples.isPaired ? withoutEmpty(samples) : samples;
  const [one, other] = [target.map(Math.log), baseline.map(Math.log)];
  const logarithms = { ...samples, target: one, baseline: other };
  const estimate = differenceOf(logarithms, confidence);
  return (
    estimate && {
      value: Math.exp(estimate.value),
      low: Math.exp(estimate.low),
      high: Math.exp(estimate.high),
    }
  );
}

/** Leaves out rounds in which neither side has done anything. */
function withoutEmpty({ target, baseline }: Samples): Omit<Samples, 'isPaired'> {
  const isRatio = (_: number, at: number): boolean => target[at] !== 0 || baseline[at] !== 0;
  return { target: target.filter(isRatio), baseline: baseline.filter(isRatio) };
}

/**
 * Difference of target and baseline: the median of the rounds, or of unpaired samples the difference of the medians.
 * The interval is by bootstrap, or by order statistics if resamples have no such tails; and without bounds if there are
 * too few rounds for the confidence.
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
  const differences = target.slice(0, count).map((value, at) => value - (baseline[at] ?? 0));
  const middle = isPaired ? median(differences) : median(target) - median(baseline);
  if (Number.isNaN(middle)) return undefined;
  if (!isEnough(count, confidence)) {
    return { value: middle, low: -Infinity, high: Infinity };
  }
  const isResampled = confidence <= RESAMPLED;
  const [low, high] = isPaired
    ? (isResampled ? resampledInterval : medianInterval)(differences, confidence)
    : (isResampled ? resampledDifference : exactDifference)(target, baseline, confidence);
  return {
    value: middle,
    // Between opposite infinities there is no number.
    low: Number.isNaN(low) ? -Infinity : low,
    high: Number.isNaN(high) ? Infinity : high,
  };
}

/** Confidence up to which resamples are enough for the tails. */
const RESAMPLED = 0.99;

type Interval = readonly [low: number, high: number];

function resampledInterval(values: readonly number[], confidence: number): Interval {
  return tailsOf(resampledMedians(values, randomNumbers()), confidence, values.length);
}

function resampledDifference(
  target: readonly number[],
  baseline: readonly number[],
  confidence: number,
): Interval {
  const random = randomNumbers();
  const [one, other] = [resampledMedians(target, random), resampledMedians(baseline, random)];
  const count = Math.min(target.length, baseline.length);
  return tailsOf(differencesOf(one, other), confidence, count);
}

function tailsOf(medians: Float64Array, confidence: number, count: number): Interval {
  const tail = tailOf(confidence, count);
  return [quantile(medians, tail), quantile(medians, 1 - tail)];
}

/** Of independent samples: both medians hardly ever are at those ends of their intervals that are far from each other. */
function exactDifference(
  target: readonly number[],
  baseline: readonly number[],
  confidence: number,
): Interval {
  const [one, other] = [medianInterval(target, confidence), medianInterval(baseline, confidence)];
  return [one[0] - other[1], one[1] - other[0]];
}

/**
 * Where the true median lies with this certainty, whatever the distribution: order statistics, each
 * value being above the median with probability one half. Of few values this is their range,
 * which is less certain: that of five 94 %.
 */
export function medianInterval(
  values: readonly number[],
  certainty: number,
): readonly [low: number, high: number] {
  const sorted = values.toSorted((a, b) => a - b);
  const count = sorted.length;
  let tail = 0.5 ** count;
  let term = tail;
  let rank = 0;
  // Both tails together may hold the rest.
  while (rank + 1 < count / 2) {
    term *= (count - rank) / (rank + 1);
    if (2 * (tail + term) > 1 - certainty) break;
    tail += term;
    rank += 1;
  }
  return [sorted[rank] ?? Number.NaN, sorted[count - 1 - rank] ?? Number.NaN];
}

/** Whether so many rounds have an interval: all are on the same side of the median with a probability of 2 ** (1 - count). */
export const isEnough = (count: number, confidence: number): boolean =>
  2 ** (1 - count) <= 1 - confidence;

const differencesOf = (target: Float64Array, baseline: Float64Array): Float64Array =>
  target.map((value, at) => value - (baseline[at] ?? Number.NaN));
