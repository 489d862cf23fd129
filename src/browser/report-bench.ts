import {
  hasErrors,
  headLines,
  isInvalidRow,
  noteLines,
  tablesOf,
  type ShownReport,
  type ShownRow,
  type ShownSide,
} from '../bench/report/table.ts';
import { METRICS, type ShownMetric } from '../bench/report/comparison-table.ts';
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
  const parts = [
    `${counted(rows.length, 'row')}, ${wrong || 'none'} with errors`,
    ...(invalid > 0 ? [`${invalid} invalid`] : []),
    ...(failures.length > 0 ? [`${counted(failures.length, 'gate')} failed`] : []),
  ];
  return {
    // With --during, there are no rows.
    summary: rows.length > 0 ? parts.join(', ') : shown.verdict,
    isBad: wrong + invalid + failures.length > 0,
    elements: [
      ...listElement([...headLines(shown), report.text('started_at')].filter(Boolean), 'hint'),
      ...listElement(failures, 'bad'),
      ...tablesOf(shown).map((table) => scrolling(table.caption, tableElement(table))),
      ...listElement(noteLines(shown).filter(Boolean), 'hint'),
    ],
  };
}

/** The report without its rows. The failed gates are listed separately. */
function runOf(report: Members): Omit<ShownReport, 'rows'> {
  const settings = report.object('settings');
  const machine = report.object('machine');
  const names = report.optional('names');
  return {
    target: report.text('target'),
    baseline: report.text('baseline') || null,
    direct: report.text('direct') || null,
    names: names
      ? { target: names.text('target', MAX_CELL), baseline: names.text('baseline', MAX_CELL) }
      : null,
    settings: {
      ...settings.figures(
        'rounds',
        'duration_seconds',
        'connections',
        'h2_connections',
        'streams',
        'threads',
      ),
      time_seconds: settings.number('time_seconds') ?? null,
      rate: settings.number('rate') ?? null,
    },
    machine: {
      processor: machine.text('processor'),
      ...machine.figures('cores'),
      system: machine.text('system'),
    },
    interrupted: report.isTrue('interrupted'),
    failed_gates: [],
    verdict: report.text('verdict', MAX_CELL),
  };
}

function rowOf(row: Members): ShownRow {
  const [baseline, direct] = [row.optional('baseline'), row.optional('direct')];
  const metrics = row.object('metrics');
  return {
    scenario: row.text('scenario', MAX_CELL),
    protocol: row.text('protocol', MAX_CELL),
    target: sideOf(row.object('target')),
    baseline: baseline ? sideOf(baseline) : null,
    direct: direct ? sideOf(direct) : null,
    metrics: Object.fromEntries(METRICS.map(([name]) => [name, metricOf(metrics.optional(name))])),
    limited_by: row.text('limited_by', MAX_CELL),
    verdict: row.text('verdict', MAX_CELL),
    change: row.text('change', MAX_CELL) || null,
    note: row.text('note', MAX_CELL),
  };
}

function metricOf(metric: Members | undefined): ShownMetric | null {
  if (!metric) return null;
  const difference = metric.optional('difference_ms');
  return {
    ...metric.figures('target', 'baseline', 'ratio', 'low'),
    high: metric.number('high') ?? null,
    ...(difference && {
      difference_ms: {
        ...difference.figures('value'),
        low: difference.number('low') ?? null,
        high: difference.number('high') ?? null,
      },
    }),
    verdict: metric.text('verdict', MAX_CELL),
  };
}

function sideOf(side: Members): ShownSide {
  const latency = side.optional('latency_ms');
  return {
    ...side.figures('requests_per_second', 'rate', 'requests'),
    load_lag_ms: side.number('load_lag_ms') ?? null,
    errors: Object.fromEntries(side.numbers('errors', MAX_REASONS)),
    latency_ms: latency?.figures('p50', 'p90', 'p99', 'p99_9') ?? null,
  };
}
