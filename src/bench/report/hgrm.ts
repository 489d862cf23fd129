import type { Latencies } from '../latencies.ts';
import { namedSides, namesOf, type SideNames } from './rates-text.ts';

interface HgrmSide {
  readonly latency_hgrm?: string | null | undefined;
}

/** The members of a report that have distributions. */
interface HgrmReport {
  readonly names: SideNames | null;
  readonly rows: readonly {
    readonly scenario: string;
    readonly protocol: string;
    readonly target: HgrmSide;
    readonly baseline: HgrmSide | null;
    readonly direct: HgrmSide | null;
  }[];
}

/** The distributions of a report by the names of their files: one for each row and side. */
export function hgrmFiles(report: HgrmReport): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const row of report.rows) {
    for (const { name, side } of namedSides<HgrmSide>(row, namesOf(report))) {
      const path = `${row.scenario}-${row.protocol}-${name}`.replaceAll(/[^\w.-]/g, '-');
      if (side.latency_hgrm) files.set(freeName(path, files), side.latency_hgrm);
    }
  }
  return files;
}

/** The name of a file that is not there yet. Names of sides may differ in characters that file names do not have. */
function freeName(path: string, files: ReadonlyMap<string, string>): string {
  let name = `${path}.hgrm`;
  for (let number = 2; files.has(name); number++) name = `${path}-${number}.hgrm`;
  return name;
}

/** Lines for each halving of the distance to 100 %, as HdrHistogram has by default. */
const TICKS = 5;
/** Sub-buckets and buckets of the histograms that Node makes (deps/histogram): 3 digits, up to 2^53 - 1. */
const SUB_BUCKETS = 2048;
const BUCKETS = 43;

/** A line of the distribution: how many latencies are at most `value`. */
export interface HgrmPoint {
  /** In milliseconds. */
  readonly value: number;
  /** From 0 to 1. */
  readonly percentile: number;
  readonly count: number;
}

/**
 * Latencies in the text format of HdrHistogram's `outputPercentileDistribution`, in milliseconds, which its plotter reads.
 *
 * @param latencies with at least one value
 */
export function hgrmText(latencies: Latencies): string {
  const points = pointsOf(latencies);
  return [
    '       Value     Percentile TotalCount 1/(1-Percentile)',
    '',
    ...points.map(({ value, percentile, count }) => {
      const line = `${number(value)} ${percentile.toFixed(12)} ${String(count).padStart(10)}`;
      return percentile < 1 ? `${line} ${number(1 / (1 - percentile), 14, 2)}` : line;
    }),
    `#[Mean    = ${number(latencies.mean)}, StdDeviation   = ${number(latencies.deviation)}]`,
    `#[Max     = ${number(latencies.at(100))}, Total count    = ${number(latencies.count, 12, 0)}]`,
    `#[Buckets = ${number(BUCKETS, 12, 0)}, SubBuckets     = ${number(SUB_BUCKETS, 12, 0)}]`,
    '',
  ].join('\n');
}

const number = (value: number, width = 12, digits = 3): string =>
  value.toFixed(digits).padStart(width);

/** Reads the lines of such a text. */
export function hgrmPoints(text: string): HgrmPoint[] {
  return Array.from(text.matchAll(/^ *([\d.]+) ([\d.]+) +(\d+)/gm), ([, ...texts]) => {
    const [value = 0, percentile = 0, count = 0] = texts.map(Number);
    return { value, percentile, count };
  });
}

/** The percentiles at which HdrHistogram's iterator stops: up to the one from which on all latencies are included. */
function pointsOf(latencies: Latencies): HgrmPoint[] {
  const { count: all } = latencies;
  const points: HgrmPoint[] = [];
  let percent = 0;
  for (let count = 0; count < all;) {
    // The first latency of which as many are at most as great.
    const rank = Math.max(1, Math.ceil((percent / 100) * all));
    const value = latencies.at((100 * rank) / all);
    count = countUpTo(latencies, value);
    points.push({ value, percentile: percent / 100, count });
    const halvings = Math.floor(Math.log2(100 / (100 - percent))) + 1;
    percent += 100 / (TICKS * 2 ** halvings);
  }
  return [...points, { value: latencies.at(100), percentile: 1, count: all }];
}

/** Number of latencies up to one of them. Node's histograms tell percentiles only, so the last one is searched for. */
function countUpTo(latencies: Latencies, value: number): number {
  let [low, high] = [1, latencies.count];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (latencies.at((100 * middle) / latencies.count) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
