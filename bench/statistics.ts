/** The middle value; the mean of the middle two of an even count. NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const below = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  const above = sorted[Math.floor(middle)] ?? Number.NaN;
  return (below + above) / 2;
}

/** The value that a share `q` (0 to 1) of the values does not exceed; NaN for none. */
export function quantile(values: ArrayLike<number>, q: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? Number.NaN;
}

/** Each value over the one measured right beside it: what moved both cancels out. */
export function pairRatios(values: readonly number[], baselines: readonly number[]): number[] {
  if (values.length !== baselines.length) throw new RangeError('pairs need two of each');
  return values.map((value, at) => value / (baselines[at] ?? Number.NaN));
}

/**
 * Where the true median lies with this certainty, whatever the distribution: order statistics, each
 * value being above the median with probability one half. Of few values this is their range,
 * which is less certain: that of five 94 %.
 */
export function medianInterval(
  values: readonly number[],
  certainty = 0.9,
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

export interface Judgement {
  /** The median over the pairs. */
  readonly ratio: number;
  readonly interval: readonly [low: number, high: number];
  readonly verdict: 'passed' | 'undecided' | 'failed';
}

/** Of an interval that decides: it is looked at up to three times, and each may be wrong. */
const CERTAINTY = 0.98;

/** The interval decides: wholly at or above the floor passes, wholly below fails. So does what has no figure. */
export function judge(ratios: readonly number[], floor: number): Judgement {
  const ratio = median(ratios);
  const interval = medianInterval(ratios, CERTAINTY);
  const [low, high] = interval;
  if (low >= floor) return { ratio, interval, verdict: 'passed' };
  return { ratio, interval, verdict: high >= floor ? 'undecided' : 'failed' };
}
