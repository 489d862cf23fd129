import { arrayOf, COUNT, shape } from '../server/schema.ts';

/** Upper bounds of the histogram buckets, in seconds. A last bucket without a bound follows. */
export const BOUNDS: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

export const MICROSECONDS = 1_000_000;

/** A histogram of durations: plain data, which can be sent between processes and added up. */
export const durationsSchema = shape({
  // Number of durations in each bucket, not cumulative.
  counts: arrayOf(COUNT),
  // Whole microseconds, because a sum of fractions depends on the order of addition: Prometheus takes a counter that
  // decreases, by however little, for one that was reset to zero.
  sum_us: COUNT,
});

/** A mutable histogram of `durationsSchema`. */
export interface Durations {
  readonly counts: number[];
  sum_us: number;
}

export function noDurations(): Durations {
  return { counts: Array.from({ length: BOUNDS.length + 1 }, () => 0), sum_us: 0 };
}

export function addDuration(durations: Durations, seconds: number): void {
  let bucket = 0;
  while (seconds > (BOUNDS[bucket] ?? Infinity)) bucket++;
  durations.counts[bucket] = (durations.counts[bucket] ?? 0) + 1;
  durations.sum_us += Math.round(seconds * MICROSECONDS);
}

/**
 * Estimates a quantile like Prometheus's `histogram_quantile`, by linear interpolation within the bucket.
 *
 * @param share from 0 to 1
 * @returns seconds; the highest bound for durations above it, 0 without durations
 */
export function quantile({ counts }: Snapshot, share: number): number {
  let rank = share * counts.reduce((sum, count) => sum + count, 0);
  for (const [bucket, count] of counts.entries()) {
    if (count > 0 && rank <= count) {
      const lower = BOUNDS[bucket - 1] ?? 0;
      const upper = BOUNDS[bucket] ?? lower;
      return lower + (upper - lower) * (rank / count);
    }
    rank -= count;
  }
  return 0;
}

/** What `durationsSchema` infers. */
type Snapshot = Readonly<Omit<Durations, 'counts'>> & { readonly counts: readonly number[] };

/**
 * Adds numbers to those of `sum`, in objects and arrays of any depth.
 *
 * @param less an earlier state of `more`: then only the increase since that state is added
 */
export function addNumbers(sum: object, more: object, less?: object): void {
  for (const name of Object.keys(more)) {
    const value: unknown = Reflect.get(more, name);
    const before: unknown = less && Reflect.get(less, name);
    const known: unknown = Reflect.get(sum, name);
    if (typeof value === 'number') {
      const increase = value - Number(before ?? 0);
      if (!less || increase !== 0) Reflect.set(sum, name, Number(known ?? 0) + increase);
    } else if (isObject(value)) {
      const part = isObject(known) ? known : Array.isArray(value) ? [] : {};
      Reflect.set(sum, name, part);
      addNumbers(part, value, isObject(before) ? before : undefined);
    }
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
