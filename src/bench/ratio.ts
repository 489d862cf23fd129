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

/** A ratio of pairs, with its quartiles. */
export interface Ratio {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Each value over the one that was measured next to it, so that what moved both cancels out.
 *
 * @returns undefined if no pair has a ratio
 */
export function pairedRatio(
  values: readonly number[],
  baselines: readonly number[],
): Ratio | undefined {
  const ratios = values
    .map((value, at) => value / (baselines[at] ?? Number.NaN))
    .filter((ratio) => Number.isFinite(ratio));
  if (ratios.length === 0) return undefined;
  return { median: median(ratios), low: quantile(ratios, 0.25), high: quantile(ratios, 0.75) };
}
