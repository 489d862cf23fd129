import { counted } from '../../check/words.ts';
import { count, decimal, type Table } from './cells.ts';
import { comparisonTable } from './comparison-table.ts';
import type { Report, Row, SideView } from './report.ts';

/** Number of failed requests. */
export function errorCount({ errors }: Pick<SideView, 'errors'>): number {
  return Object.values(errors).reduce((sum, number) => sum + number, 0);
}

export const isInvalidRow = ({ verdict }: Pick<Row, 'verdict'>): boolean => verdict === 'invalid';

const sidesOf = ({ target, baseline, direct }: Pick<Row, 'target' | 'baseline' | 'direct'>) =>
  [target, baseline, direct].flatMap((side) => side ?? []);

/** Number of requests of a row that failed, on any side. */
const rowErrors = (row: Pick<Row, 'target' | 'baseline' | 'direct'>): number =>
  sidesOf(row).reduce((sum, side) => sum + errorCount(side), 0);

/** Whether a request got no or a wrong response. */
export const hasErrors = (row: Pick<Row, 'target' | 'baseline' | 'direct'>): boolean =>
  rowErrors(row) > 0;

type ComparedReport = Pick<Report, 'rows' | 'baseline' | 'direct' | 'names'>;

/** The tables of a report: what was measured, and what it is beside the baseline. */
export function tablesOf(report: ComparedReport): readonly Table[] {
  const { rows, baseline, direct, names } = report;
  const isCompared = (baseline ?? direct) !== null;
  const compared = isCompared
    ? comparisonTable(rows, names ?? { target: 'target', baseline: 'direct' })
    : undefined;
  return [
    ...(rows.length > 0 ? [rowTable(rows, isCompared)] : []),
    ...(compared && compared.rows.length > 0 ? [compared] : []),
  ];
}

/** A line for each row. */
function rowTable(rows: readonly Row[], isCompared: boolean): Table {
  const shown = {
    lag: rows.some(({ target }) => target.load_lag_ms !== null),
    errors: rows.some(hasErrors),
    verdict: isCompared || rows.some(isInvalidRow),
  };
  const head = [
    'scenario',
    'protocol',
    'requests/s',
    'at /s',
    'p50 ms',
    'p90 ms',
    'p99 ms',
    'p99.9 ms',
    ...(shown.lag ? ['lag ms'] : []),
    ...(shown.errors ? ['errors'] : []),
    'limit',
    ...(shown.verdict ? ['verdict'] : []),
  ];
  const limit = head.indexOf('limit');
  return {
    caption: 'Throughput and latency',
    head,
    rows: rows.map((row) => rowCells(row, shown)),
    isNumeric: (column) => column > 1 && column < limit,
  };
}

function rowCells(
  row: Row,
  shown: { readonly lag: boolean; readonly errors: boolean; readonly verdict: boolean },
): string[] {
  const { scenario, protocol, target, limited_by: limit, verdict } = row;
  const { latency_ms: latency, load_lag_ms: lag } = target;
  const errors = rowErrors(row);
  return [
    scenario,
    protocol,
    count(target.requests_per_second),
    count(target.rate),
    decimal(latency?.p50),
    decimal(latency?.p90),
    decimal(latency?.p99),
    decimal(latency?.p99_9),
    ...(shown.lag ? [decimal(lag)] : []),
    ...(shown.errors ? [errors === 0 ? '' : String(errors)] : []),
    limit,
    ...(shown.verdict ? [verdict] : []),
  ];
}

/** The first lines: what was measured, and how. */
export function headLines(report: Report): string[] {
  const { target, baseline, direct, names, settings, machine, during } = report;
  const { rounds, time_seconds: time, duration_seconds: seconds, streams, rate } = settings;
  const { connections, h2_connections: h2 } = settings;
  const threads = settings.threads > 1 ? `, from ${settings.threads} threads` : '';
  const urls = [
    `${names?.target ?? 'Target'}: ${target}`,
    ...(names && baseline !== null ? [`${names.baseline}: ${baseline}`] : []),
    ...(direct === null ? [] : [`direct: ${direct}`]),
  ];
  const all = time === null ? `at least ${counted(rounds, 'round')}` : `in ${time} s, rounds`;
  const load = during
    ? `twice ${seconds} s`
    : `${all} of ${seconds} s at a rate, about half as long at full load`;
  return [
    urls.join('; '),
    `Load: ${load}; ${counted(connections, 'connection')}, on HTTP/2 ${h2} with ${counted(streams, 'stream')} each${threads}`,
    ...(during
      ? []
      : [
          `Latencies: at ${rate === null ? 'half of what the slower side does' : `${rate} requests/s`}, from when a request was due`,
        ]),
    `Machine of the load: ${machine.processor}, ${machine.cores} cores, ${machine.system}`,
  ];
}

/** Lines below the tables: errors, notes on rows, failed gates, and the verdict. */
export function noteLines(report: Report): string[] {
  const { rows, failed_gates: gates, interrupted, verdict } = report;
  return [
    ...rows.flatMap((row) => (hasErrors(row) ? errorLines(row, report.names) : [])),
    ...sharedNotes(rows, verdict),
    ...gates.map((gate) => `missed: ${gate}`),
    ...(interrupted ? ['interrupted'] : []),
    verdict,
  ];
}

/** Each different note once, with the rows that it applies to. */
function sharedNotes(rows: readonly Row[], verdict: string): string[] {
  const changes = new Set(rows.flatMap(({ change }) => change ?? []));
  // The verdict has the reasons of invalid rows. Only of several it does not tell which row has which.
  const isSaid = (change: string): boolean =>
    changes.size === 1 && verdict.includes(change.replace(/\.$/, ''));
  const notes = new Map<string, string[]>();
  for (const { scenario, protocol, note, change } of rows) {
    const reason = change === null || isSaid(change) ? '' : `Invalid: ${change}`;
    const text = [reason, note].filter(Boolean).join(' ');
    if (text === '') continue;
    notes.set(text, [...(notes.get(text) ?? []), `${scenario} ${protocol}`]);
  }
  return Array.from(notes, ([note, rowNames]) => {
    const isAll = rowNames.length === rows.length && rows.length > 1;
    return `${isAll ? 'all' : rowNames.join(', ')}: ${note}`;
  });
}

function errorLines(
  { scenario, protocol, target, baseline, direct }: Row,
  names: Report['names'],
): string[] {
  const line = (where: string, side: SideView | null): string[] =>
    side && errorCount(side) > 0
      ? [
          `${scenario} ${protocol}: ${errorCount(side)} of ${side.requests} requests ${where} failed: ${reasons(side)}`,
        ]
      : [];
  return [
    ...line(`through ${names?.target ?? 'the target'}`, target),
    ...line(`through ${names?.baseline ?? 'the baseline'}`, baseline),
    ...line('past the target', direct),
  ];
}

const reasons = ({ errors }: SideView): string =>
  Object.entries(errors)
    .map(([reason, number]) => `${number} ${reason}`)
    .join(', ');
