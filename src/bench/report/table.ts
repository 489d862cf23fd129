import { counted } from '../../check/words.ts';
import { isLowerBound } from '../limits.ts';
import { errorCount, hasErrors, type Report, type Row, type SideView } from './report.ts';

/** Columns from here on are numbers, up to the last one. */
export const NUMBERS_FROM = 2;

/** The table of a report: its head, and a line for each row. */
export function tableOf({ rows, direct }: Report): readonly (readonly string[])[] {
  const isCompared = direct !== null;
  return [
    [
      'scenario',
      'protocol',
      'requests/s',
      ...(isCompared ? ['direct', 'ratio', 'quartiles'] : []),
      'at',
      'p50 ms',
      'p99 ms',
      ...(isCompared ? ['+p50', '+p99'] : []),
      'errors',
      'limit',
    ],
    ...rows.map((row) => rowCells(row, isCompared)),
  ];
}

function rowCells(row: Row, isCompared: boolean): string[] {
  const { scenario, protocol, target, direct, ratio, added_ms: added, limited_by: limit } = row;
  const { latency_ms: latency } = target;
  const isAtLeast = direct !== null && isLowerBound(limit, direct.load_busy);
  const errors = errorCount(target) + (direct ? errorCount(direct) : 0);
  return [
    scenario,
    protocol,
    count(target.requests_per_second),
    ...(isCompared
      ? [
          direct ? count(direct.requests_per_second) : '',
          ratio ? `${isAtLeast ? '>= ' : ''}${ratio.median.toFixed(2)}` : '',
          ratio ? `${ratio.low.toFixed(2)}-${ratio.high.toFixed(2)}` : '',
        ]
      : []),
    count(target.rate),
    milliseconds(latency?.p50),
    milliseconds(latency?.p99),
    ...(isCompared ? [milliseconds(added?.p50), milliseconds(added?.p99)] : []),
    errors === 0 ? '' : String(errors),
    limit,
  ];
}

const count = (value: number): string => Math.round(value).toLocaleString('en');
const milliseconds = (value: number | undefined): string => value?.toFixed(2) ?? '';

/** The first lines: what was measured, and how. */
export function headLines({ target, direct, settings, machine }: Report): string[] {
  const { rounds, duration_seconds: seconds, connections, h2_connections: h2 } = settings;
  const { streams, rate } = settings;
  return [
    `Target: ${target}${direct === null ? '' : `; direct: ${direct}`}`,
    `Load: ${counted(rounds, 'round')} of ${seconds} s; ${counted(connections, 'connection')}, on HTTP/2 ${h2} with ${counted(streams, 'stream')} each`,
    `Latencies: at ${rate === null ? 'half of what the slower side does' : `${rate} requests/s`}, from when a request was due`,
    `Machine of the load: ${machine.processor}, ${machine.cores} cores, ${machine.system}`,
  ];
}

/** What there is to say of rows, and which gates have failed. */
export function noteLines({ rows, failed_gates: gates, interrupted }: Report): string[] {
  return [
    ...rows.flatMap((row) => (hasErrors(row) ? errorLines(row) : [])),
    ...sharedNotes(rows),
    ...gates.map((gate) => `missed: ${gate}`),
    ...(interrupted ? ['interrupted'] : []),
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
