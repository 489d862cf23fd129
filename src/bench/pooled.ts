import { randomNumbers, tailOf } from './bootstrap.ts';
import { Latencies } from './latencies.ts';
import { latencyAt } from './rates/trial.ts';
import { isEnough, quantile, type Estimate } from './ratio.ts';

/**
 * Milliseconds that a failed request counts for in percentiles: an hour, which is more than any that succeeds takes. So
 * a side is not faster because it refuses requests.
 */
export const FAILED_MS = 3_600_000;

/** A round of a side at the fixed rate. */
export interface LatencyRound {
  readonly latencies: Latencies;
  /** All requests, and how many of them failed, by reason. */
  readonly requests: number;
  readonly errors: Readonly<Record<string, number>>;
}

/** As many rounds of two sides, in turn. */
export interface LatencyPairs {
  readonly target: readonly LatencyRound[];
  readonly baseline: readonly LatencyRound[];
}

/** A percentile of the latencies of all rounds together, on both sides. */
export interface PooledPercentile {
  /** In milliseconds. */
  readonly target: number;
  readonly baseline: number;
  /** Target divided by baseline, and target minus baseline, each with its interval. */
  readonly ratio: Estimate;
  readonly difference: Estimate;
}

/** Number of resamples: some twenty are outside the interval at each end. */
const RESAMPLES = 1000;

/** Bins for each doubling of a latency: some 0.1 % wide, as those of a histogram. */
const BINS = 700;

/** The latencies of rounds in bins. */
interface Pool {
  /** A latency of each bin, ascending. */
  readonly values: Float64Array;
  /** How many requests of each round are in a bin or below it: all rounds for the first bin, and so on. */
  readonly cumulated: Float64Array;
  readonly rounds: number;
}

interface Step {
  readonly value: number;
  readonly count: number;
  readonly round: number;
}

/** @param as what a latency counts for */
export function stepsOf(
  of: LatencyRound,
  round: number,
  as = (milliseconds: number): number => milliseconds,
): Step[] {
  const { latencies, requests } = of;
  const failed = failuresOf(of);
  // Those of the warm-up are among requests and errors, but not among latencies.
  const share = requests > failed ? latencies.count / (requests - failed) : 1;
  return [
    ...latencies.steps.map(({ value, count }) => ({ value: as(value), count, round })),
    ...(failed > 0 ? [{ value: as(FAILED_MS), count: failed * share, round }] : []),
  ];
}

export function poolOf(steps: readonly Step[], rounds: number): Pool {
  const binOf = ({ value }: Step): number => Math.round(Math.log2(value) * BINS);
  const values = new Map(steps.map((step) => [binOf(step), step.value]));
  const bins = [...values.keys()].toSorted((one, other) => one - other);
  const indices = new Map(bins.map((bin, at) => [bin, at * rounds]));
  const cumulated = new Float64Array(bins.length * rounds);
  for (const step of steps) {
    const at = (indices.get(binOf(step)) ?? 0) + step.round;
    cumulated[at] = (cumulated[at] ?? 0) + step.count;
  }
  for (let at = rounds; at < cumulated.length; at++) {
    cumulated[at] = (cumulated[at] ?? 0) + (cumulated[at - rounds] ?? 0);
  }
  return {
    values: Float64Array.from(bins, (bin) => values.get(bin) ?? Number.NaN),
    cumulated,
    rounds,
  };
}

/** Number of requests up to a bin. @param drawn how often each round counts */
function countTo({ cumulated, rounds }: Pool, bin: number, drawn: ArrayLike<number>): number {
  let sum = 0;
  for (let round = 0; round < rounds; round++) {
    sum += (cumulated[bin * rounds + round] ?? 0) * (drawn[round] ?? 0);
  }
  return sum;
}

/** @param drawn how often each round counts @returns NaN without requests */
export function percentilesOf(
  pool: Pool,
  drawn: ArrayLike<number>,
  percents: readonly number[],
): number[] {
  const last = pool.values.length - 1;
  const all = countTo(pool, last, drawn);
  return percents.map((percent) => {
    let [low, high] = [0, last];
    while (low < high) {
      const middle = (low + high) >> 1;
      // Numbers of failed requests may be fractions, whose sum is not exact.
      if (countTo(pool, middle, drawn) + 1e-6 >= (all * percent) / 100) high = middle;
      else low = middle + 1;
    }
    return all > 0 ? (pool.values[low] ?? Number.NaN) : Number.NaN;
  });
}

/**
 * Percentiles of all rounds together. Their intervals are by bootstrap over the rounds.
 *
 * @param confidence of the intervals, from 0 to 1
 * @returns undefined for a percentile of too few requests: the 99th of less than 100 is that of the slowest
 */
export function pooledPercentiles(
  pairs: LatencyPairs,
  percents: readonly number[],
  confidence: number,
): (PooledPercentile | undefined)[] {
  const { length } = pairs.target;
  const target = poolOf(
    pairs.target.flatMap((each, round) => stepsOf(each, round)),
    length,
  );
  const baseline = poolOf(
    pairs.baseline.flatMap((each, round) => stepsOf(each, round)),
    length,
  );
  const drawn = new Uint32Array(length).fill(1);
  const both = (): Both => ({
    target: percentilesOf(target, drawn, percents),
    baseline: percentilesOf(baseline, drawn, percents),
  });
  const exact = { target: exactly(pairs.target), baseline: exactly(pairs.baseline) };
  const random = randomNumbers();
  const resamples = Array.from({ length: RESAMPLES }, () => {
    drawn.fill(0);
    for (let draw = 0; draw < length; draw++) {
      const round = Math.floor(random() * length);
      drawn[round] = (drawn[round] ?? 0) + 1;
    }
    return both();
  });
  const estimateOf = (value: number, of: (both: Both) => number): Estimate => {
    const { low, high } = interval(resamples.map(of), confidence, length);
    // Steps and bins are not exact.
    return { value, low: Math.min(low, value), high: Math.max(high, value) };
  };
  return percents.map((percent, at) => {
    const [one, other] = [exact.target(percent), exact.baseline(percent)];
    if (one === undefined || other === undefined) return undefined;
    return {
      target: one,
      baseline: other,
      ratio: estimateOf(
        one / other,
        (each) => valueAt(each.target, at) / valueAt(each.baseline, at),
      ),
      difference: estimateOf(
        one - other,
        (each) => valueAt(each.target, at) - valueAt(each.baseline, at),
      ),
    };
  });
}

/** The percentiles of all rounds of a side; undefined for one of too few requests. */
function exactly(rounds: readonly LatencyRound[]): (percent: number) => number | undefined {
  const latencies = new Latencies();
  let [requests, errors] = [0, 0];
  for (const round of rounds) {
    latencies.add(round.latencies);
    requests += round.requests;
    errors += failuresOf(round);
  }
  return (percent) => {
    const least = percent <= 50 ? 1 : 1 / (1 - percent / 100) - 1e-6;
    if (requests < least) return undefined;
    return Math.min(FAILED_MS, latencyAt({ latencies, requests, errors }, percent));
  };
}

const failuresOf = ({ errors }: LatencyRound): number =>
  Object.values(errors).reduce((sum, count) => sum + count, 0);

/** The percentiles of both sides. */
type Both = Readonly<Record<'target' | 'baseline', readonly number[]>>;

const valueAt = (values: readonly number[], at: number): number => values[at] ?? Number.NaN;

function interval(
  resampled: readonly number[],
  confidence: number,
  rounds: number,
): Omit<Estimate, 'value'> {
  if (!isEnough(rounds, confidence)) return { low: -Infinity, high: Infinity };
  const tail = tailOf(confidence, rounds);
  return { low: quantile(resampled, tail), high: quantile(resampled, 1 - tail) };
}
