import { counted } from '../../check/words.ts';
import { isLowerBound } from '../limits.ts';
import { errorCount, hasErrors, type Report, type Row, type SideView } from './report.ts';

/** Columns from here on are numbers, up to the last one. */
export const NUMBERS_FROM = 2;

/** The table of a report: its head, and a line for each row. */
export function tableOf({ rows, direct }: Report): readonly (readonly string[])[] {
  const shown = { isCompared: direct !== null, hasErrors: rows.some(hasErrors) };
  const { isCompared } = shown;
  return [
    [
      'scenario',
      'protocol',
      'requests/s',
      ...(isCompared ? ['direct', 'ratio', 'quartiles'] : []),
      'at /s',
      'p50 ms',
      ...(isCompared ? ['direct', '+p50 ms'] : []),
      'p99 ms',
      ...(isCompared ? ['direct', '+p99 ms'] : []),
      ...(shown.hasErrors ? ['errors'] : []),
      'limit',
    ],
    ...rows.map((row) => rowCells(row, shown)),
  ];
}

function rowCells(
  row: Row,
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
          ratio ? `${isAtLeast(row) ? `${AT_LEAST} ` : ''}${ratio.median.toFixed(2)}` : '',
          ratio && target.samples.length > 1
            ? `${ratio.low.toFixed(2)}-${ratio.high.toFixed(2)}`
            : '',
        ]
      : []),
    count(target.rate),
    ...latencyCells(row, 'p50', isCompared),
    ...latencyCells(row, 'p99', isCompared),
    ...(shown.hasErrors ? [errors === 0 ? '' : String(errors)] : []),
    limit,
  ];
}

function latencyCells(row: Row, percentile: 'p50' | 'p99', isCompared: boolean): string[] {
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

/** Before a ratio. */
const AT_LEAST = '>=';
/** After what the target adds to a percentile. */
const UNCERTAIN = '?';

const isAtLeast = ({ direct, limited_by: limit }: Row): boolean =>
  direct !== null && isLowerBound(limit, direct.load_busy);

/** Whether the rounds do not agree that the target adds something. */
function isUncertain(
  { added_ms: added, added_quartiles_ms: quartiles }: Row,
  percentile: 'p50' | 'p99',
): boolean {
  if (!added) return false;
  return added[percentile] <= 0 || (quartiles !== undefined && quartiles[percentile].low <= 0);
}

const count = (value: number): string => Math.round(value).toLocaleString('en');
const milliseconds = (value: number | undefined): string => value?.toFixed(2) ?? '';

/** The first lines: what was measured, and how. */
export function headLines({ target, direct, settings, machine, interrupted }: Report): string[] {
  const { rounds, duration_seconds: seconds, connections, h2_connections: h2 } = settings;
  const { streams, rate } = settings;
  return [
    `Target: ${target}${direct === null ? '' : `; direct: ${direct}`}`,
    `Load: ${interrupted ? 'up to ' : ''}${counted(rounds, 'round')} of ${seconds} s; ${counted(connections, 'connection')}, on HTTP/2 ${h2} with ${counted(streams, 'stream')} each`,
    `Latencies: at ${rate === null ? 'half of what the slower side does' : `${rate} requests/s`}, from when a request was due`,
    `Machine of the load: ${machine.processor}, ${machine.cores} cores, ${machine.system}`,
  ];
}

/** Lines below the table: its legend, errors, notes on rows and failed gates. */
export function noteLines({ rows, failed_gates: gates, interrupted }: Report): string[] {
  return [
    ...legend(rows),
    ...rows.flatMap((row) => (hasErrors(row) ? errorLines(row) : [])),
    ...sharedNotes(rows),
    ...gates.map((gate) => `missed: ${gate}`),
    ...(interrupted ? ['interrupted'] : []),
  ];
}

/** Explains the columns and marks in the table. */
function legend(rows: readonly Row[]): string[] {
  const isAnyUncertain = rows.some((row) => isUncertain(row, 'p50') || isUncertain(row, 'p99'));
  return [
    ...(rows.some(({ ratio, target }) => ratio !== null && target.samples.length > 1)
      ? [
          'ratio: the median of the ratios of the rounds; it need not be requests/s divided by direct.',
        ]
      : []),
    ...(rows.some((row) => row.ratio !== null && isAtLeast(row))
      ? [`${AT_LEAST}: the target was not the limit, and can do more than was measured.`]
      : []),
    ...(rows.some(({ added_ms: added }) => added !== null)
      ? ['+p50 and +p99: the percentile minus that of direct, over all rounds.']
      : []),
    ...(isAnyUncertain
      ? [
          `${UNCERTAIN}: negative, or within the scatter of the rounds: too small to be measured here.`,
        ]
      : []),
  ];
}

/** Each note once, with the rows that it is about. */
function sharedNotes(rows: readonly Row[]): string[] {
  const notes = new Map<string, string[]>();
  for (const { scenario, protocol, note } of rows) {
    notes.set(note, [...(notes.get(note) ?? []), `${scenario} ${protocol}`]);
  }
  return Array.from(notes, ([note, names]) => {
    const isAll = names.length === rows.length && rows.length > 1;
    return `${isAll ? 'all' : names.join(', ')}: ${note}`;
  });
}

function errorLines({ scenario, protocol, target, direct }: Row): string[] {
  const line = (where: string, side: SideView | null): string[] =>
    side && errorCount(side) > 0
      ? [
          `${scenario} ${protocol}: ${errorCount(side)} of ${side.requests} requests ${where} failed: ${reasons(side)}`,
        ]
      : [];
  return [...line('through the target', target), ...line('past the target', direct)];
}

const reasons = ({ errors }: SideView): string =>
  Object.entries(errors)
    .map(([reason, number]) => `${number} ${reason}`)
    .join(', ');
