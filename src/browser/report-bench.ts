import { shortened, type Members, type Report } from './report-json.ts';

/** More than any report has; so many can still be shown. */
const MAX_ROWS = 1000;
/** Reasons of errors, of one side of a row. */
const MAX_REASONS = 50;
/** Characters in a cell of the table. */
const MAX_CELL = 1000;

/** Those that are empty in all rows are left out: without `--direct`, nothing is compared. */
const COLUMNS: readonly (readonly [name: string, cellOf: (row: Members) => string])[] = [
  ['Scenario', (row) => row.text('scenario', MAX_CELL)],
  ['Protocol', (row) => row.text('protocol', MAX_CELL)],
  ['Requests/s', (row) => rounded(row.object('target').number('requests_per_second'), 0)],
  ['Direct, requests/s', (row) => rounded(row.object('direct').number('requests_per_second'), 0)],
  ['Ratio (interval)', ratioOf],
  ['Fixed rate/s', (row) => rounded(row.object('target').number('rate'), 0)],
  ['p50, ms', (row) => latencyOf(row.object('target'), 'p50')],
  ['Direct p50, ms', (row) => latencyOf(row.object('direct'), 'p50')],
  ['Added p50, ms', (row) => rounded(row.object('added_ms').number('p50'), 2)],
  ['p99, ms', (row) => latencyOf(row.object('target'), 'p99')],
  ['Direct p99, ms', (row) => latencyOf(row.object('direct'), 'p99')],
  ['Added p99, ms', (row) => rounded(row.object('added_ms').number('p99'), 2)],
  ['p99.9, ms', (row) => latencyOf(row.object('target'), 'p99_9')],
  ['Errors', (row) => errorsOf(row) || 'none'],
  ['Limited by', (row) => row.text('limited_by', MAX_CELL)],
];

/** What a report of `wirebin bench` says. */
export function benchReport(report: Members): Report {
  const members = report.objects('rows', MAX_ROWS);
  const failures = report.texts('failed_gates', MAX_ROWS);
  const wrong = members.filter((row) => errorsOf(row) !== '').length;
  const invalid = members.filter((row) => row.text('limited_by') === 'invalid').length;
  const rows = members.map((row) => COLUMNS.map(([, cellOf]) => cellOf(row)));
  const isShown = (_: unknown, at: number): boolean =>
    at === 0 || rows.some((cells) => cells[at] !== '');
  const parts = [
    `${counted(rows.length, 'row')}, ${wrong || 'none'} with errors`,
    ...(invalid > 0 ? [`${invalid} invalid`] : []),
    ...(failures.length > 0 ? [`${counted(failures.length, 'gate')} failed`] : []),
  ];
  return {
    summary: parts.join(', '),
    isBad: wrong + invalid + failures.length > 0,
    facts: factsOf(report).filter(Boolean),
    failures,
    table: {
      caption: 'Throughput and latency',
      head: COLUMNS.filter(isShown).map(([name]) => name),
      rows: rows.map((cells) => cells.filter(isShown)),
    },
    notes: [...notesOf(members), report.text('verdict', MAX_CELL)].filter(Boolean),
    checks: [],
  };
}

/** Each note once, after the rows that it is about. */
function notesOf(rows: readonly Members[]): string[] {
  const notes = new Map<string, string[]>();
  for (const row of rows) {
    const note = row.text('note', MAX_CELL);
    const name = `${row.text('scenario', MAX_CELL)} ${row.text('protocol', MAX_CELL)}`;
    if (note !== '') notes.set(note, [...(notes.get(note) ?? []), name]);
  }
  return Array.from(notes, ([note, names]) => {
    const isAll = names.length === rows.length && rows.length > 1;
    return `${isAll ? 'all' : shortened(names.join(', '), MAX_CELL)}: ${note}`;
  });
}

function factsOf(report: Members): string[] {
  const settings = report.object('settings');
  const machine = report.object('machine');
  const direct = report.text('direct');
  return [
    report.text('target'),
    direct && `direct: ${direct}`,
    report.text('started_at'),
    counted(settings.number('rounds'), 'round'),
    counted(settings.number('duration_seconds'), 'second'),
    counted(settings.number('connections'), 'connection'),
    counted(settings.number('h2_connections'), 'connection', ' of HTTP/2'),
    counted(settings.number('streams'), 'stream', ' on each'),
    machine.text('processor'),
    counted(machine.number('cores'), 'core'),
    machine.text('system'),
    report.isTrue('interrupted') ? 'interrupted' : '',
  ];
}

/** Requests through the target for each one past it: the median of the rounds, and the confidence interval. */
function ratioOf(row: Members): string {
  const ratio = row.object('ratio');
  const median = rounded(ratio.number('median'), 2);
  if (median === '') return '';
  // A load generator that was the limit leaves a side open.
  const low = rounded(ratio.number('low') || undefined, 2);
  const high = rounded(ratio.number('high'), 2);
  if (low !== '' && high === '') return `≥ ${median} (${low}–)`;
  if (low === '' && high !== '') return `≤ ${median} (–${high})`;
  return `${median} (${low}–${high})`;
}

const latencyOf = (side: Members, percentile: string): string =>
  rounded(side.object('latency_ms').number(percentile), 2);

/** How many of which kind; empty without errors. */
function errorsOf(row: Members): string {
  const words = ['target', 'direct'].flatMap((side) => {
    const errors = row.object(side).numbers('errors', MAX_REASONS);
    const suffix = side === 'direct' ? ' (direct)' : '';
    return errors.flatMap(([reason, count]) => (count > 0 ? [`${count} ${reason}${suffix}`] : []));
  });
  return shortened(words.join(', '), MAX_CELL);
}

function rounded(value: number | undefined, digits: number): string {
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return value?.toLocaleString('en', options) ?? '';
}

function counted(count: number | undefined, unit: string, rest = ''): string {
  if (count === undefined) return '';
  return `${count.toLocaleString('en')} ${unit}${count === 1 ? '' : 's'}${rest}`;
}
