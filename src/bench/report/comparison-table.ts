import { count, decimal, fixed, type Table } from './cells.ts';
import type { LatencyMetric, Metric, Metrics } from './report.ts';

/** Metrics in the order of the table, and their names there. */
export const METRICS = [
  ['requests_per_second', 'requests/s'],
  ['cpu_us_per_request', 'CPU us'],
  ['p50_ms', 'p50 ms'],
  ['p90_ms', 'p90 ms'],
  ['p99_ms', 'p99 ms'],
  ['p99_9_ms', 'p99.9 ms'],
] as const satisfies readonly (readonly [keyof Metrics, string])[];

interface ComparedRow {
  readonly scenario: string;
  readonly protocol: string;
  readonly metrics: Metrics;
}

/** A line for each metric of each row: both sides, their ratio and difference, and the verdict. */
export function comparisonTable(
  rows: readonly ComparedRow[],
  { target, baseline }: { readonly target: string; readonly baseline: string },
): Table {
  return {
    caption: `${target} and ${baseline}`,
    head: [
      'scenario',
      'protocol',
      'metric',
      target,
      baseline,
      'ratio',
      'interval',
      '+ ms',
      'interval',
      'verdict',
    ],
    rows: rows.flatMap(({ scenario, protocol, metrics }) =>
      METRICS.flatMap(([name, title]) => {
        const metric = metrics[name];
        const digits = name === 'requests_per_second' ? count : decimal;
        return metric ? [[scenario, protocol, title, ...metricCells(metric, digits)]] : [];
      }),
    ),
    isNumeric: (column) => column > 2 && column < 9,
  };
}

function metricCells(metric: Metric | LatencyMetric, digits: (value: number) => string): string[] {
  const { target, baseline, ratio, low, high, verdict } = metric;
  const difference = 'difference_ms' in metric ? metric.difference_ms : undefined;
  return [
    digits(target),
    digits(baseline),
    decimal(ratio),
    intervalText(low === 0 ? null : low, high),
    decimal(difference?.value),
    difference ? intervalText(difference.low, difference.high) : '',
    verdict,
  ];
}

/** @param low null if it has no bound */
export function intervalText(low: number | null, high: number | null, digits = 2): string {
  if (low !== null && high !== null) return `${fixed(low, digits)} to ${fixed(high, digits)}`;
  if (low !== null) return `from ${fixed(low, digits)}`;
  return high === null ? 'unknown' : `up to ${fixed(high, digits)}`;
}
