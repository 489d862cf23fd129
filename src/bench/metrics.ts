import { toMicrosecond } from '../server/timing.ts';
import { isGreater } from './exchange.ts';
import type { Percentiles } from './latencies.ts';
import type { OpenEnds } from './limits.ts';
import { pooledPercentiles, type LatencyPairs, type PooledPercentile } from './pooled.ts';
import { differenceOf, median, ratioOf, type Estimate, type Samples } from './ratio.ts';
import type { LatencyMetric, Metric, MetricName, Metrics, Verdict } from './report/report.ts';

/** Samples of all metrics; undefined for one that was not measured on both sides. */
export interface MetricSamples extends Readonly<Record<MetricName, Samples | undefined>> {
  /** Rounds at the fixed rate, of which all percentiles are. Recorded runs have only those of each round. */
  readonly latencies?: LatencyPairs;
}

/** Confidence of the intervals that are shown, and that decide that there is no difference. */
const CONFIDENCE = 0.95;
/**
 * Confidence that the target is slower or faster. A row has several metrics, and a run several rows: with 95 %, one of
 * them would often differ by chance. Ten rounds suffice, if they agree.
 */
const CERTAINTY = 0.998;
/** Share within which there is no difference. */
const ALIKE = 0.05;
/**
 * Share beyond which requests per second or CPU differ if sides were measured in turn. Otherwise they have to differ by
 * more than `ALIKE`, as latencies always have.
 */
const DIFFERENT = 0.02;
/** Milliseconds within which latencies do not differ. */
const ALIKE_MS = 0.1;
/** Widest interval of a result that needs no further rounds: high divided by low. */
const NARROW = 1.1;

/** Name of the metric of a percentile. */
export const percentileMetrics = {
  p50_ms: 'p50',
  p90_ms: 'p90',
  p99_ms: 'p99',
  p99_9_ms: 'p99_9',
} as const satisfies Partial<Record<MetricName, keyof Percentiles>>;

/** Metrics where nothing is compared. */
export const NO_METRICS: Metrics = {
  requests_per_second: null,
  p50_ms: null,
  p90_ms: null,
  p99_ms: null,
  p99_9_ms: null,
  cpu_us_per_request: null,
};

/** Compares the sides by all metrics. */
export function metricsOf(samples: MetricSamples, open: OpenEnds = CLOSED): Metrics {
  return {
    requests_per_second: ratioMetric(samples.requests_per_second, { open }),
    ...(samples.latencies ? pooledMetrics(samples.latencies) : roundMetrics(samples)),
    cpu_us_per_request: ratioMetric(samples.cpu_us_per_request, { isCost: true }),
  };
}

const CLOSED: OpenEnds = { low: false, high: false };

/** @param isCost whether more of it is slower */
function ratioMetric(
  samples: Samples | undefined,
  { open = CLOSED, isCost = false } = {},
): Metric | null {
  const ratio = compared(samples, ratioOf, open);
  // A baseline that has done nothing is none.
  if (!samples || !ratio || ratio.shown.value === Infinity) return null;
  const different = samples.isPaired ? DIFFERENT : ALIKE;
  const isLess = ratio.certain.high < 1 - different;
  const isMore = ratio.certain.low > 1 + different;
  const [isSlower, isFaster] = isCost ? [isMore, isLess] : [isLess, isMore];
  const sides = { target: median(samples.target), baseline: median(samples.baseline) };
  return {
    ...viewOf(sides, ratio.shown),
    verdict: wordOf(isSlower, isFaster, isAlike(ratio.shown)),
  };
}

type LatencyMetrics = Pick<Metrics, keyof typeof percentileMetrics>;

const PERCENTS = [50, 90, 99, 99.9] as const;

/** What of a latency differs from one of the other side. */
const least = (milliseconds: number): number =>
  Math.min(milliseconds / (1 + ALIKE), milliseconds - ALIKE_MS);

/** Percentiles of all rounds together. */
function pooledMetrics(pairs: LatencyPairs): LatencyMetrics {
  const chance = (1 - CERTAINTY) / 2;
  const slower = isGreater(pairs, PERCENTS, least, chance);
  const exchanged = { target: pairs.baseline, baseline: pairs.target };
  const faster = isGreater(exchanged, PERCENTS, least, chance);
  const [p50, p90, p99, p99_9] = pooledPercentiles(pairs, PERCENTS, CONFIDENCE).map(
    (each, at) =>
      each &&
      latencyMetric({
        ...each,
        isSlower: slower[at] === true,
        isFaster: faster[at] === true,
      }),
  );
  return {
    p50_ms: p50 ?? null,
    p90_ms: p90 ?? null,
    p99_ms: p99 ?? null,
    p99_9_ms: p99_9 ?? null,
  };
}

/** Medians of the percentiles of each round. */
const roundMetrics = (samples: MetricSamples): LatencyMetrics => ({
  p50_ms: medianMetric(samples.p50_ms),
  p90_ms: medianMetric(samples.p90_ms),
  p99_ms: medianMetric(samples.p99_ms),
  p99_9_ms: medianMetric(samples.p99_9_ms),
});

function medianMetric(samples: Samples | undefined): LatencyMetric | null {
  const ratio = compared(samples, ratioOf);
  const difference = compared(samples, differenceOf);
  if (!samples || !ratio || !difference) return null;
  const { certain } = ratio;
  return latencyMetric({
    target: median(samples.target),
    baseline: median(samples.baseline),
    ratio: ratio.shown,
    difference: difference.shown,
    isSlower: certain.low > 1 + ALIKE && difference.certain.low > ALIKE_MS,
    isFaster: certain.high < 1 - ALIKE && difference.certain.high < -ALIKE_MS,
  });
}

/** @param isSlower whether that is certain, and below, whether the opposite is */
function latencyMetric({
  ratio,
  difference: { value, low, high },
  isSlower,
  isFaster,
  ...sides
}: PooledPercentile & { readonly isSlower: boolean; readonly isFaster: boolean }): LatencyMetric {
  const isNothing = low >= -ALIKE_MS && high <= ALIKE_MS;
  return {
    ...viewOf(sides, ratio),
    difference_ms: { value: toMicrosecond(value), low: finite(low), high: finite(high) },
    verdict: wordOf(isSlower, isFaster, isNothing || isAlike(ratio)),
  };
}

interface Compared {
  readonly shown: Estimate;
  readonly certain: Estimate;
}

function compared(
  samples: Samples | undefined,
  estimate: typeof ratioOf,
  open = CLOSED,
): Compared | undefined {
  if (!samples) return undefined;
  const [shown, certain] = [estimate(samples, CONFIDENCE), estimate(samples, CERTAINTY)];
  return shown && certain && { shown: opened(shown, open), certain: opened(certain, open) };
}

const opened = (estimate: Estimate, open: OpenEnds): Estimate => ({
  value: estimate.value,
  low: open.low ? 0 : estimate.low,
  high: open.high ? Infinity : estimate.high,
});

const isAlike = ({ low, high }: Estimate): boolean => low >= 1 - ALIKE && high <= 1 + ALIKE;

function wordOf(isSlower: boolean, isFaster: boolean, isNothing: boolean): Verdict {
  if (isSlower) return 'slower';
  if (isFaster) return 'faster';
  return isNothing ? 'no-difference' : 'undecided';
}

function viewOf(
  { target, baseline }: { readonly target: number; readonly baseline: number },
  { value, low, high }: Estimate,
): Omit<Metric, 'verdict'> {
  return {
    target: toMicrosecond(target),
    baseline: toMicrosecond(baseline),
    ratio: rounded(value),
    low: rounded(Math.max(0, low)),
    high: Number.isFinite(high) ? rounded(high) : null,
  };
}

const rounded = (ratio: number): number => Math.round(ratio * 10_000) / 10_000;

const finite = (milliseconds: number): number | null =>
  Number.isFinite(milliseconds) ? toMicrosecond(milliseconds) : null;

/** Whether further rounds would not tell more: the metric is decided, and its interval is narrow. */
export function isSettled(metric: Metric | LatencyMetric | null): boolean {
  if (!metric || metric.verdict === 'undecided') return false;
  const { low, high } = metric;
  if (high !== null && high <= low * NARROW) return true;
  if (!('difference_ms' in metric)) return false;
  const { low: from, high: to } = metric.difference_ms;
  return from !== null && to !== null && to - from <= ALIKE_MS;
}
