import { counted } from '../../check/words.ts';
import { failedShare, failsMore, isDifferent, judge } from '../verdict.ts';
import { intervalText } from './comparison-table.ts';
import type { LatencyMetric, Metric, MetricName, Report, Row, Verdict } from './report.ts';
import { hasErrors } from './table.ts';

/** Whom a run compares. */
interface Names {
  readonly target: string;
  readonly baseline: string;
}

/**
 * The verdicts of a run as a sentence, with their evidence.
 *
 * @param names of both sides; null if there is no baseline but the direct side
 */
export function verdictOf(rows: readonly Row[], names: Report['names']): string {
  if (rows.length === 0) return 'Nothing was measured.';
  const sides = names ?? { target: 'the target', baseline: 'the origin alone' };
  const texts = [
    ...differenceTexts(rows, 'slower', sides),
    ...differenceTexts(rows, 'faster', sides),
    ...alikeTexts(rows, sides),
    ...undecidedTexts(rows),
    ...unmeasuredTexts(rows),
    ...invalidTexts(rows),
    ...trustTexts(rows),
  ];
  const text = texts.join('; ');
  // Names of sides keep their case.
  const isName = names !== null && text.startsWith(names.target);
  return `${isName ? text.slice(0, 1) : text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

const withVerdict = (rows: readonly Row[], word: Verdict): Row[] =>
  rows.filter(({ verdict }) => verdict === word);

/** `on healthz h2`, or `on 3 of 8 rows`. */
function whereText(some: readonly Row[], all: readonly Row[]): string {
  const [row] = some;
  return some.length === 1 && row
    ? `${row.scenario} ${row.protocol}`
    : `${some.length === all.length ? 'all' : `${some.length} of`} ${all.length} rows`;
}

function differenceTexts(
  all: readonly Row[],
  word: 'slower' | 'faster',
  { target, baseline }: Names,
): string[] {
  const rows = withVerdict(all, word);
  const [most] = rows.toSorted((one, other) => differenceOf(other) - differenceOf(one));
  if (!most) return [];
  const where = whereText(rows, all);
  const example = rows.length > 1 ? `, most on ${most.scenario} ${most.protocol}` : '';
  return [`${target} is ${word} than ${baseline} on ${where}${example}: ${evidenceText(most)}`];
}

/** How far the ratio of the metric that differs is from 1, in either direction. */
function differenceOf({ metrics }: Row): number {
  const [name] = judge(metrics).by;
  return Math.abs(Math.log((name && metrics[name]?.ratio) ?? 1));
}

/** What the verdict of a row rests on, such as `8 % fewer requests/s (6 to 10 %)`. */
const evidenceText = ({ metrics }: Row): string =>
  judge(metrics)
    .by.map((name) => metricText(name, metrics[name]))
    .join(', ');

function metricText(name: MetricName, metric: Metric | LatencyMetric | null): string {
  if (!metric) return '';
  if ('difference_ms' in metric) return latencyText(name, metric);
  return shareText(metric, name === 'requests_per_second' ? 'fewer' : 'less', whatOf(name));
}

function whatOf(name: MetricName): string {
  if (name === 'requests_per_second') return 'requests/s';
  return name === 'cpu_us_per_request'
    ? 'CPU per request'
    : name.replace('_ms', '').replace('_', '.');
}

/** By how much a ratio is above 1; null if it is an open end. */
const percentage = (ratio: number | null): number | null =>
  ratio === null || ratio === 0 ? null : (ratio - 1) * 100;

function shareText({ ratio, low, high, verdict }: Metric, less: string, what: string): string {
  if (!isDifferent(verdict)) {
    return `${what} ${intervalText(percentage(low), percentage(high), 1)} %`;
  }
  const isLess = ratio < 1;
  const ends = isLess
    ? ([high === null ? null : (1 - high) * 100, low === 0 ? null : (1 - low) * 100] as const)
    : ([percentage(low), percentage(high)] as const);
  const share = (Math.abs(ratio - 1) * 100).toFixed(digitsOf(...ends));
  const interval = intervalText(...ends, digitsOf(...ends));
  return `${share} % ${isLess ? less : 'more'} ${what} (${interval} %)`;
}

/** Digits after the point that tell the ends of an interval apart. */
const digitsOf = (low: number | null, high: number | null): number =>
  low !== null && high !== null && high - low < 2 ? 1 : 0;

function latencyText(name: MetricName, { difference_ms: difference }: LatencyMetric): string {
  const { value, low, high } = difference;
  const sign = value < 0 ? '-' : '+';
  return `${whatOf(name)} ${sign} ${Math.abs(value).toFixed(2)} ms (${intervalText(low, high)} ms)`;
}

function alikeTexts(all: readonly Row[], { target, baseline }: Names): string[] {
  const rows = withVerdict(all, 'no-difference');
  const [row] = rows;
  if (!row) return [];
  const evidence = rows.length === 1 ? `: ${evidenceText(row)}` : '';
  const where = whereText(rows, all);
  return [
    `no difference between ${target} and ${baseline} on ${where}${evidence}${tailText(rows)}`,
  ];
}

/** Percentiles that are not decided, though the others are alike. */
function tailText(rows: readonly Row[]): string {
  const open = (['p90_ms', 'p99_ms'] as const).filter((name) =>
    rows.some(({ metrics }) => metrics[name]?.verdict === 'undecided'),
  );
  return open.length > 0 ? `, ${open.map(whatOf).join(' and ')} undecided` : '';
}

/** Whether a row was not measured, because the first response of a side was wrong. */
const isUnmeasured = ({ target, baseline, direct }: Row): boolean =>
  [target, baseline, direct].some((side) => side?.samples.length === 0);

function unmeasuredTexts(all: readonly Row[]): string[] {
  const rows = withVerdict(all, 'undecided').filter(isUnmeasured);
  return rows.length === 0 ? [] : [`not measured on ${whereText(rows, all)}`];
}

function undecidedTexts(all: readonly Row[]): string[] {
  const rows = withVerdict(all, 'undecided').filter((row) => !isUnmeasured(row));
  if (rows.length === 0) return [];
  if (rows.every(({ baseline, direct }) => !baseline && !direct)) {
    return ['there is nothing to compare with, so that only limits were judged'];
  }
  const [row] = rows;
  const compared = row && (row.baseline ?? row.direct);
  if (rows.length === 1 && compared && failsMore(row.target, compared)) {
    return [
      `undecided on ${whereText(rows, all)}: ${failedText(row.target)} of the requests failed, and ${failedText(compared)} of those of the baseline`,
    ];
  }
  const evidence = rows.length === 1 && row ? evidenceText(row) : '';
  return [
    `undecided on ${whereText(rows, all)}${evidence && ` (${evidence})`}: more rounds may decide (--time, --rounds)`,
  ];
}

const failedText = (side: Row['target']): string => `${(failedShare(side) * 100).toFixed(1)} %`;

/** The reasons of invalid rows, each once. */
function invalidTexts(all: readonly Row[]): string[] {
  const rows = withVerdict(all, 'invalid');
  if (rows.length === 0) return [];
  const changes = [...new Set(rows.flatMap(({ change }) => change ?? []))];
  return [`invalid on ${whereText(rows, all)}: ${changes.join(' ').replace(/\.$/, '')}`];
}

/** What to know besides: dropped rounds, and rows with errors. */
function trustTexts(rows: readonly Row[]): string[] {
  const valid = rows.filter(({ verdict }) => verdict !== 'invalid');
  const dropped = valid.reduce(
    (sum, { disturbed_rounds: { full_load: full, fixed_rate: fixed } }) => sum + full + fixed,
    0,
  );
  const wrong = rows.filter(hasErrors).length;
  return [
    ...(dropped > 0
      ? [`${counted(dropped, 'disturbed round')} ${dropped === 1 ? 'was' : 'were'} dropped`]
      : []),
    ...(wrong > 0 ? [`${counted(wrong, 'row')} with errors`] : []),
  ];
}
