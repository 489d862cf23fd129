import type { Report } from '../../src/bench/report/report.ts';
import { jsonReport } from '../../src/check/report/json.ts';
import type { CheckReport } from '../../src/check/report/json-schema.ts';
import type { Element } from '../../src/pages/element.ts';
import { metrics, report } from '../bench/_rows.ts';
import { resultWithOutcome } from '../check/_results.ts';
import { reportOf } from '../check/report/_report.ts';

const row = {
  scenario: 'healthz',
  protocol: 'h2',
  request: 'GET /healthz',
  response_bytes: 2,
  target: {
    requests_per_second: 8123.4,
    samples: [8100.1, 8123.4],
    load_busy: 0.71,
    load_waited: 0.01,
    load_lag_ms: null,
    origin_waited: 0.02,
    rate: 4000,
    latency_ms: { p50: 0.41, p90: 0.6, p99: 1.2, p99_9: 3.1, max: 7.9 },
    latency_samples_ms: [],
    cpu_samples_us: [],
    cost: null,
    requests: 61_234,
    errors: {},
  },
  direct: {
    requests_per_second: 13_102.2,
    samples: [13_102.2, 13_050],
    load_busy: 0.83,
    load_waited: 0.01,
    load_lag_ms: 0.02,
    origin_waited: null,
    rate: 4000,
    latency_ms: { p50: 0.21, p90: 0.3, p99: 0.5, p99_9: 1.1, max: 2.9 },
    latency_samples_ms: [],
    cpu_samples_us: [],
    cost: null,
    requests: 71_234,
    errors: {},
  },
  baseline: null,
  metrics,
  disturbed_rounds: { full_load: 0, fixed_rate: 0 },
  limited_by: 'target',
  verdict: 'slower',
  change: null,
  note: 'The origin is fast.',
} as const;

/** As `wirebin bench --report json=FILE` writes it. */
export const benchReport = {
  ...report,
  interrupted: true,
  machine: { processor: 'Some <b>', cores: 1, system: 'Linux 6.18' },
  rows: [row] as const,
} satisfies Report;

/** As `wirebin check --report json=FILE` writes it: a finding, and a check that passed. */
export const checkReport: CheckReport = JSON.parse(
  jsonReport(
    reportOf([resultWithOutcome('cookie/order', 'pass'), resultWithOutcome('hop/te', 'fail')]),
  ),
);

/** The texts of all elements of this name, also of those in others. */
export function textsOf(elements: readonly (Element | string)[], wanted: string): string[] {
  return elements.flatMap((each) => {
    if (typeof each === 'string') return [];
    return each.name === wanted ? [textOf(each)] : textsOf(each.children, wanted);
  });
}

function textOf({ children }: Element): string {
  return children.map((each) => (typeof each === 'string' ? each : textOf(each))).join('');
}

/** The cells of the table, row by row. */
export function rowsOf(elements: readonly (Element | string)[]): string[] {
  return elements.flatMap((each) => {
    if (typeof each === 'string') return [];
    if (each.name !== 'tr') return rowsOf(each.children);
    return [
      each.children.flatMap((cell) => (typeof cell === 'string' ? [] : textOf(cell))).join(' | '),
    ];
  });
}
