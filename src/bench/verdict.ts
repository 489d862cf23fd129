import { percent, STARVED } from './disturbance.ts';
import { BUSY, CROWDING } from './limits.ts';
import type { MeasuredSide } from './measured.ts';
import type { OriginLoad } from './origin-loop.ts';
import type { Protocol } from './protocol.ts';
import type { Counts } from './load/tally.ts';
import type { LatencyMetric, Metric, MetricName, Metrics, Verdict } from './report/report.ts';

/**
 * Share of the time below which what the load generator waited for is much slower than a target would be. On HTTP/2, it
 * sends many requests at once, and has less to do for each.
 */
const IDLE: Readonly<Record<Protocol, number>> = { 'http/1.1': 0.1, h2: 0.03, h2c: 0.03 };
/** Milliseconds, and share of the 99th percentile, from which on a late load generator makes latencies wrong. */
const LATE_MS = 1;
const LATE = 0.5;

/** Metrics that may differ, in the order in which they decide. Without p99.9, for which a round has too few requests. */
const DECISIVE = [
  'requests_per_second',
  'cpu_us_per_request',
  'p50_ms',
  'p90_ms',
  'p99_ms',
] as const satisfies readonly MetricName[];
type Decisive = (typeof DECISIVE)[number];

/** Those that are alike if there is no difference. Stalls of the machine leave p90 and p99 undecided for long. */
const ESSENTIAL = ['requests_per_second', 'cpu_us_per_request', 'p50_ms'] as const;

/** Share beyond which an interval on one side of 1 speaks against a verdict, though it is not certain. */
const MARGIN = 0.05;
/** Milliseconds likewise. */
const MARGIN_MS = 0.1;
/** Share of the requests that fail, from which on a target is not as good as a baseline where less do. */
const FAILING = 0.001;

/** The verdict on all metrics, and those that it rests on: one that differs, those that are alike, or not decided. */
export interface MetricsVerdict {
  readonly verdict: Verdict;
  readonly by: readonly Decisive[];
}

/** Judges all metrics: one of them differs, or the essential ones are alike and none rather differs. */
export function judge(metrics: Metrics): MetricsVerdict {
  const withVerdict = (word: Verdict) => DECISIVE.find((name) => metrics[name]?.verdict === word);
  const slower = withVerdict('slower');
  if (slower) return { verdict: 'slower', by: [slower] };
  const leaning = (word: Verdict) =>
    DECISIVE.filter((name) => leaningOf(name, metrics[name]) === word);
  const rather = leaning('slower');
  const faster = withVerdict('faster');
  if (faster && rather.length === 0) return { verdict: 'faster', by: [faster] };
  const known = ESSENTIAL.filter((name) => metrics[name] !== null);
  const open = known.filter((name) => metrics[name]?.verdict !== 'no-difference');
  const against = [...new Set([...open, ...rather, ...leaning('faster')])];
  return metrics.requests_per_second && against.length === 0
    ? { verdict: 'no-difference', by: known }
    : { verdict: 'undecided', by: against };
}

/** Whether one side is better than the other. */
export const isDifferent = (verdict: Verdict): boolean =>
  verdict === 'slower' || verdict === 'faster';

/** What a metric may be: its interval is beyond the margins. */
function leaningOf(name: Decisive, metric: Metric | LatencyMetric | null): Verdict | undefined {
  if (metric?.verdict !== 'undecided') return undefined;
  const { low, high } = metric;
  const [least, most] =
    'difference_ms' in metric
      ? [metric.difference_ms.low ?? -Infinity, metric.difference_ms.high ?? Infinity]
      : [Infinity, -Infinity];
  const isMore = low > 1 + MARGIN && least > MARGIN_MS;
  const isLess = high !== null && high < 1 - MARGIN && most < -MARGIN_MS;
  if (!isMore && !isLess) return undefined;
  return isMore === (name === 'requests_per_second') ? 'faster' : 'slower';
}

/** Whether requests fail through the target that would not with the baseline. */
export const failsMore = (target: Counts, baseline: Counts | undefined): boolean =>
  baseline !== undefined && failedShare(target) > failedShare(baseline) + FAILING;

/** Share of the requests that failed. */
export const failedShare = ({ requests, errors }: Counts): number =>
  Object.values(errors).reduce((sum, count) => sum + count, 0) / Math.max(1, requests);

/** Share of the bytes by which responses that vary, such as an echo, may differ. */
const SIZE_MARGIN = 0.02;

/** Why responses are not alike; undefined if they are. @param bytes of the content of each side's first response */
export function unlikeSizes(target: number, baseline: number): string | undefined {
  return Math.abs(target - baseline) <= SIZE_MARGIN * Math.max(target, baseline)
    ? undefined
    : `The responses have ${target} bytes, and those of the baseline ${baseline}.`;
}

/** A side of this run, or of a recorded one. */
export type JudgedSide = Pick<
  MeasuredSide,
  'load' | 'limit' | 'lagP99' | 'p99' | 'pressure' | 'tally'
> & {
  readonly origin: Pick<OriginLoad, 'waited'> | undefined;
};

/** What a verdict is about. */
export interface Evidence {
  readonly protocol: Protocol;
  readonly metrics: Metrics;
  readonly target: JudgedSide;
  /** What the target is compared with; undefined if with nothing. */
  readonly baseline: JudgedSide | undefined;
  /** Whether the baseline is the origin itself. */
  readonly isOrigin: boolean;
  /** Whether the origin runs in the process of the load generator. */
  readonly isSelf: boolean;
  /** Why requests to the two sides are not alike; undefined if they are. */
  readonly unlike?: string | undefined;
}

/** Something because of which a result is not that of the target. */
interface Flaw {
  /** Verdicts that hold nevertheless. */
  readonly spares: readonly Verdict[];
  /** What it is, and what to change. */
  readonly change: string;
}

/** The verdict on a row that is not disturbed; and if it is invalid, why, and what to change. */
export function rowVerdict(evidence: Evidence): {
  readonly verdict: Verdict;
  readonly change: string | null;
} {
  const { metrics, unlike } = evidence;
  if (unlike !== undefined) return { verdict: 'invalid', change: unlike };
  const { verdict, by } = judge(metrics);
  // A target through which more requests fail is neither faster nor alike.
  const isFailing = failsMore(evidence.target.tally, evidence.baseline?.tally);
  const word = isFailing && verdict !== 'slower' ? 'undecided' : verdict;
  // The CPU time of a request depends neither on what the limit was nor on waits, but says nothing of latencies.
  const isCost = isDifferent(verdict) && by[0] === 'cpu_us_per_request';
  const flaw = isCost ? undefined : flawsIn(evidence).find(({ spares }) => !spares.includes(word));
  return flaw ? { verdict: 'invalid', change: flaw.change } : { verdict: word, change: null };
}

const TASKSET = 'Give load, target and origin cores of their own (taskset).';
const THREADS = 'Give it more threads (--threads), on cores of their own.';
const WORKERS = 'Start the origin with more workers (--workers), on cores of their own.';

function flawsIn(evidence: Evidence): Flaw[] {
  const { protocol, target, baseline, isOrigin, isSelf } = evidence;
  const past = isOrigin ? 'past the target' : 'with the baseline';
  return [
    ...(isSelf ? [] : generatorFlaws(target, 'through the target', [])),
    // If the target is slower than a baseline that the load generator held back, it is all the more so without.
    ...(baseline && !isSelf ? generatorFlaws(baseline, past, ['slower']) : []),
    ...(baseline ? sharedCores(target, baseline) : []),
    ...originFlaws(evidence),
    ...(baseline && target.load.busy < IDLE[protocol] ? [slowOrigin(target)] : []),
  ];
}

/** @param where the side, in the text of what to change */
const generatorFlaws = (side: JudgedSide, where: string, spares: readonly Verdict[]): Flaw[] => [
  ...busyGenerator(side, where, spares),
  ...lateGenerator(side, where),
];

function busyGenerator(
  { load: { busy } }: JudgedSide,
  where: string,
  spares: readonly Verdict[],
): Flaw[] {
  if (busy < BUSY) return [];
  const change = `The load generator was busy for ${percent(busy)} of the time ${where}. ${THREADS}`;
  return [{ spares, change }];
}

/** A load generator that had to wait, or was late for other reasons. */
function lateGenerator({ load, lagP99 = 0, p99 = Infinity }: JudgedSide, where: string): Flaw[] {
  if (load.waited >= STARVED) {
    const change = `The load generator waited for a core for ${percent(load.waited)} of the time ${where}. ${TASKSET}`;
    return [{ spares: [], change }];
  }
  if (lagP99 < LATE_MS || lagP99 < p99 * LATE) return [];
  const change = `The load generator sent 1 % of the requests more than ${lagP99.toFixed(1)} ms late ${where}. ${THREADS}`;
  return [{ spares: [], change }];
}

/** What shares cores with target or origin on one side more than on the other. */
function sharedCores(target: JudgedSide, baseline: JudgedSide): Flaw[] {
  const waits = [
    ['the origin', (target.origin?.waited ?? 0) - (baseline.origin?.waited ?? 0), STARVED],
    ['processes of this machine', target.pressure - baseline.pressure, CROWDING],
  ] as const;
  return waits.flatMap(([what, share, limit]) =>
    share < limit
      ? []
      : {
          spares: ['no-difference'] as const,
          change: `Under load through the target, ${what} waited for a core for ${percent(share)} more of the time than with the baseline. ${TASKSET}`,
        },
  );
}

function originFlaws({ target, baseline, isOrigin }: Evidence): Flaw[] {
  const flaws: Flaw[] = [];
  if (target.limit === 'origin') {
    // What does less than the origin alone would be slower all the more beside a faster one. And the origin remains the
    // limit behind a target that costs nothing.
    const spares: Flaw['spares'] = isOrigin
      ? ['undecided', 'slower', 'no-difference']
      : ['undecided'];
    flaws.push({ spares, change: `The origin was the limit. ${WORKERS}` });
  }
  if (!isOrigin && baseline?.limit === 'origin') {
    flaws.push({
      spares: ['slower', 'undecided'],
      change: `The origin was the limit of the baseline. ${WORKERS}`,
    });
  }
  return flaws;
}

/** A target that costs something would not show beside an origin that is much slower. */
const slowOrigin = ({ load }: JudgedSide): Flaw => ({
  spares: ['slower', 'faster'],
  change: `The load generator was busy for ${percent(load.busy)} of the time only. Take a faster origin (--workers), or more --connections.`,
});
