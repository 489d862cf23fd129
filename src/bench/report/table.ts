import { counted } from '../../check/words.ts';
import type { Report, Row } from './report.ts';

type Latencies = NonNullable<Row['target']['latency_ms']>;

/** The members of a row's side that are shown. */
export type ShownSide = Pick<
  Row['target'],
  'requests_per_second' | 'rate' | 'requests' | 'errors'
> & {
  readonly latency_ms: Pick<Latencies, 'p50' | 'p99' | 'p99_9'> | null;
};

interface Interval {
  readonly low: number;
  readonly high: number | null;
}

/** A row of this run, or of a report file that a user opens. */
export type ShownRow = Pick<Row, 'scenario' | 'added_ms' | 'note'> & {
  readonly protocol: string;
  readonly limited_by: string;
  readonly target: ShownSide;
  readonly direct: ShownSide | null;
  readonly ratio: Row['ratio'];
  readonly added_interval_ms: Readonly<Record<'p50' | 'p99', Interval>> | null;
};

/** The members of a report that are shown. */
export type ShownReport = Pick<
  Report,
  'target' | 'direct' | 'settings' | 'machine' | 'interrupted' | 'failed_gates' | 'verdict'
> & { readonly rows: readonly ShownRow[] };

/** Number of failed requests. */
function errorCount({ errors }: Pick<ShownSide, 'errors'>): number {
  return Object.values(errors).reduce((sum, number) => sum + number, 0);
}

/** Whether too many rounds of a row were disturbed. */
export const isInvalidRow = ({ limited_by: limit }: Pick<ShownRow, 'limited_by'>): boolean =>
  limit === 'invalid';

/** Whether a request got no or a wrong response. */
export const hasErrors = ({ target, direct }: ShownRow): boolean =>
  errorCount(target) + (direct ? errorCount(direct) : 0) > 0;

/** Index of the first column with numbers. All further ones but the last have numbers, too. */
export const NUMBERS_FROM = 2;

/** The table of a report: its head, and a line for each row. */
export function tableOf({
  rows,
  direct,
}: Pick<ShownReport, 'rows' | 'direct'>): readonly (readonly string[])[] {
  const shown = { isCompared: direct !== null, hasErrors: rows.some(hasErrors) };
  const { isCompared } = shown;
  return [
    [
      'scenario',
      'protocol',
      'requests/s',
      ...(isCompared ? ['direct', 'ratio', 'interval'] : []),
      'at /s',
      'p50 ms',
      ...(isCompared ? ['direct', '+p50 ms'] : []),
      'p99 ms',
      ...(isCompared ? ['direct', '+p99 ms'] : []),
      'p99.9 ms',
      ...(shown.hasErrors ? ['errors'] : []),
      'limit',
    ],
    ...rows.map((row) => rowCells(row, shown)),
  ];
}

function rowCells(
  row: ShownRow,
  shown: { readonly isCompared: boolean; readonly hasErrors: boolean },
): string[] {
  const { isCompared } = shown;
  const { scenario, protocol, target, direct, ratio, limited_by: limit } = row;
  const errors = errorCount(target) + (direct ? errorCount(direct) : 0);
  return [
    scenario,
    protocol,
    count(target.requests_per_second),
    ...(isCompared
      ? [
          direct ? count(direct.requests_per_second) : '',
          ratio ? ratioCell(ratio) : '',
          ratio ? intervalCell(ratio) : '',
        ]
      : []),
    count(target.rate),
    ...latencyCells(row, 'p50', isCompared),
    ...latencyCells(row, 'p99', isCompared),
    milliseconds(target.latency_ms?.p99_9),
    ...(shown.hasErrors ? [errors === 0 ? '' : String(errors)] : []),
    limit,
  ];
}

function latencyCells(row: ShownRow, percentile: 'p50' | 'p99', isCompared: boolean): string[] {
  const { target, direct, added_ms: added } = row;
  const mark = isUncertain(row, percentile) ? ` ${UNCERTAIN}` : '';
  return [
    milliseconds(target.latency_ms?.[percentile]),
    ...(isCompared
      ? [
          milliseconds(direct?.latency_ms?.[percentile]),
          `${milliseconds(added?.[percentile])}${mark}`,
        ]
      : []),
  ];
}

/** Marks before a ratio that is open on one side. */
const AT_LEAST = '>=';
const AT_MOST = '<=';
/** Mark after a difference that is too small to be certain. */
const UNCERTAIN = '?';

type Ratio = NonNullable<ShownRow['ratio']>;

const isAtLeast = ({ low, high }: Ratio): boolean => high === null && low > 0;
const isAtMost = ({ low, high }: Ratio): boolean => high !== null && low === 0;

function ratioCell(ratio: Ratio): string {
  const value = ratio.median.toFixed(2);
  if (isAtLeast(ratio)) return `${AT_LEAST} ${value}`;
  if (isAtMost(ratio)) return `${AT_MOST} ${value}`;
  return isEqual(ratio) ? `${value} ${UNCERTAIN}` : value;
}

/** Whether it is not known which side is faster. */
const isEqual = ({ low, high }: Ratio): boolean => low <= 1 && (high === null || high >= 1);

function intervalCell({ low, high }: Ratio): string {
  return [low === 0 ? '' : low.toFixed(2), high === null ? '' : high.toFixed(2)].join('-');
}

/** Whether the target may add nothing. */
function isUncertain(
  { added_ms: added, added_interval_ms: interval }: ShownRow,
  percentile: 'p50' | 'p99',
): boolean {
  return added !== null && (interval === null || interval[percentile].low <= 0);
}

const count = (value: number): string => Math.round(value).toLocaleString('en');
const milliseconds = (value: number | undefined): string => value?.toFixed(2) ?? '';

/** The first lines: what was measured, and how. */
export function headLines({
  target,
  direct,
  settings,
  machine,
  interrupted,
}: ShownReport): string[] {
  const { rounds, duration_seconds: seconds, connections, h2_connections: h2 } = settings;
  const { streams, rate } = settings;
  return [
    `Target: ${target}${direct === null ? '' : `; direct: ${direct}`}`,
    `Load: ${interrupted ? 'up to ' : ''}${counted(rounds, 'round')} of ${seconds} s; ${counted(connections, 'connection')}, on HTTP/2 ${h2} with ${counted(streams, 'stream')} each`,
    `Latencies: at ${rate === null ? 'half of what the slower side does' : `${rate} requests/s`}, from when a request was due`,
    `Machine of the load: ${machine.processor}, ${machine.cores} cores, ${machine.system}`,
  ];
}

/** Lines below the table: legend, errors, notes on rows, failed gates, and the verdict. */
export function noteLines({
  rows,
  failed_gates: gates,
  interrupted,
  verdict,
}: ShownReport): string[] {
  return [
    ...legend(rows),
    ...rows.flatMap((row) => (hasErrors(row) ? errorLines(row) : [])),
    ...sharedNotes(rows),
    ...gates.map((gate) => `missed: ${gate}`),
    ...(interrupted ? ['interrupted'] : []),
    verdict,
  ];
}

/** Explains the columns and marks in the table. */
function legend(rows: readonly ShownRow[]): string[] {
  const ratios = rows.flatMap(({ ratio }) => (ratio ? [ratio] : []));
  const isAnyUncertain =
    rows.some((row) => isUncertain(row, 'p50') || isUncertain(row, 'p99')) ||
    ratios.some((ratio) => ratioCell(ratio).endsWith(UNCERTAIN));
  return [
    ...(ratios.length > 0
      ? [
          'ratio and interval: the median of the ratios of the rounds, and where it is with 99 % confidence.',
        ]
      : []),
    ...(ratios.some(isAtLeast)
      ? [
          `${AT_LEAST}: a faster load generator may get more through the target, and a higher ratio.`,
        ]
      : []),
    ...(ratios.some(isAtMost)
      ? [`${AT_MOST}: a faster load generator may get more past the target, and a lower ratio.`]
      : []),
    ...(rows.some(({ added_ms: added }) => added !== null)
      ? ['+p50 and +p99: the percentile minus that of direct, the median of the rounds.']
      : []),
    ...(isAnyUncertain
      ? [`${UNCERTAIN}: no difference, or one that is too small to be measured here.`]
      : []),
  ];
}

/** Each different note once, with the rows that it applies to. */
function sharedNotes(rows: readonly ShownRow[]): string[] {
  const notes = new Map<string, string[]>();
  for (const { scenario, protocol, note } of rows) {
    // Reports read from a file may have rows without notes.
    if (note === '') continue;
    notes.set(note, [...(notes.get(note) ?? []), `${scenario} ${protocol}`]);
  }
  return Array.from(notes, ([note, names]) => {
    const isAll = names.length === rows.length && rows.length > 1;
    return `${isAll ? 'all' : names.join(', ')}: ${note}`;
  });
}

function errorLines({ scenario, protocol, target, direct }: ShownRow): string[] {
  const line = (where: string, side: ShownSide | null): string[] =>
    side && errorCount(side) > 0
      ? [
          `${scenario} ${protocol}: ${errorCount(side)} of ${side.requests} requests ${where} failed: ${reasons(side)}`,
        ]
      : [];
  return [...line('through the target', target), ...line('past the target', direct)];
}

const reasons = ({ errors }: ShownSide): string =>
  Object.entries(errors)
    .map(([reason, number]) => `${number} ${reason}`)
    .join(', ');
