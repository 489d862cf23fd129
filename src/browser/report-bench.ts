import {
  hasErrors,
  headLines,
  isInvalidRow,
  noteLines,
  tableOf,
  type ShownReport,
  type ShownRow,
  type ShownSide,
} from '../bench/report/table.ts';
import { counted } from '../check/words.ts';
import { listElement, scrolling, tableElement } from '../pages/element.ts';
import type { Members, Report } from './report-json.ts';

/** Maximum number of rows, far more than a report has. */
const MAX_ROWS = 1000;
/** Maximum number of error reasons of one side of a row. */
const MAX_REASONS = 50;
/** Maximum characters of a table cell. */
const MAX_CELL = 1000;

/** The page's view of a `wirebin bench` report, like that for terminals. */
export function benchReport(report: Members): Report {
  const rows = report.objects('rows', MAX_ROWS).map(rowOf);
  const failures = report.texts('failed_gates', MAX_ROWS);
  const wrong = rows.filter(hasErrors).length;
  const invalid = rows.filter(isInvalidRow).length;
  const shown = { ...runOf(report), rows };
  const [head = [], ...cells] = tableOf(shown);
  const table = { caption: 'Throughput and latency', head, rows: cells };
  const parts = [
    `${counted(rows.length, 'row')}, ${wrong || 'none'} with errors`,
    ...(invalid > 0 ? [`${invalid} invalid`] : []),
    ...(failures.length > 0 ? [`${counted(failures.length, 'gate')} failed`] : []),
  ];
  return {
    summary: parts.join(', '),
    isBad: wrong + invalid + failures.length > 0,
    elements: [
      ...listElement([...headLines(shown), report.text('started_at')].filter(Boolean), 'hint'),
      ...listElement(failures, 'bad'),
      scrolling(table.caption, tableElement(table)),
      ...listElement(noteLines(shown).filter(Boolean), 'hint'),
    ],
  };
}

/** The report without its rows. The failed gates are listed separately. */
function runOf(report: Members): Omit<ShownReport, 'rows'> {
  const settings = report.object('settings');
  const machine = report.object('machine');
  return {
    target: report.text('target'),
    direct: report.text('direct') || null,
    settings: {
      rounds: settings.number('rounds') ?? 0,
      duration_seconds: settings.number('duration_seconds') ?? 0,
      connections: settings.number('connections') ?? 0,
      h2_connections: settings.number('h2_connections') ?? 0,
      streams: settings.number('streams') ?? 0,
      rate: settings.number('rate') ?? null,
    },
    machine: {
      processor: machine.text('processor'),
      cores: machine.number('cores') ?? 0,
      system: machine.text('system'),
    },
    interrupted: report.isTrue('interrupted'),
    failed_gates: [],
    verdict: report.text('verdict', MAX_CELL),
  };
}

function rowOf(row: Members): ShownRow {
  const ratio = row.optional('ratio');
  const [added, intervals] = [row.optional('added_ms'), row.optional('added_interval_ms')];
  const direct = row.optional('direct');
  return {
    scenario: row.text('scenario', MAX_CELL),
    protocol: row.text('protocol', MAX_CELL),
    target: sideOf(row.object('target')),
    direct: direct ? sideOf(direct) : null,
    ratio: ratio ? { ...intervalOf(ratio), median: ratio.number('median') ?? 0 } : null,
    added_ms: added ? { p50: added.number('p50') ?? 0, p99: added.number('p99') ?? 0 } : null,
    added_interval_ms: intervals
      ? { p50: intervalOf(intervals.object('p50')), p99: intervalOf(intervals.object('p99')) }
      : null,
    limited_by: row.text('limited_by', MAX_CELL),
    note: row.text('note', MAX_CELL),
  };
}

const intervalOf = (interval: Members): { readonly low: number; readonly high: number | null } => ({
  low: interval.number('low') ?? 0,
  high: interval.number('high') ?? null,
});

function sideOf(side: Members): ShownSide {
  const latency = side.optional('latency_ms');
  return {
    requests_per_second: side.number('requests_per_second') ?? 0,
    rate: side.number('rate') ?? 0,
    requests: side.number('requests') ?? 0,
    errors: Object.fromEntries(side.numbers('errors', MAX_REASONS)),
    latency_ms: latency
      ? {
          p50: latency.number('p50') ?? 0,
          p99: latency.number('p99') ?? 0,
          p99_9: latency.number('p99_9') ?? 0,
        }
      : null,
  };
}
