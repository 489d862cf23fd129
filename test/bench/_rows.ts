import type { OfSides } from '../../src/bench/disturbance.ts';
import type { RowFacts } from '../../src/bench/notes.ts';
import type { Metrics, Report, Row, SideView } from '../../src/bench/report/report.ts';
import { scenarios, type Scenario } from '../../src/bench/scenarios.ts';

const side: SideView = {
  requests_per_second: 1000,
  samples: [900, 1000, 1100],
  load_busy: 0.5,
  load_waited: 0.01,
  load_lag_ms: null,
  origin_waited: null,
  rate: 500,
  latency_ms: { p50: 1, p90: 2, p99: 3, p99_9: 4, max: 5 },
  latency_samples_ms: [{ p50: 1, p90: 2, p99: 3, p99_9: 4 }],
  cpu_samples_us: [],
  cost: null,
  requests: 5000,
  errors: {},
};

export const metrics: Metrics = {
  requests_per_second: {
    target: 1000,
    baseline: 2000,
    ratio: 0.5,
    low: 0.45,
    high: 0.55,
    verdict: 'slower',
  },
  p50_ms: {
    target: 1,
    baseline: 0.5,
    ratio: 2,
    low: 1.9,
    high: 2.1,
    difference_ms: { value: 0.5, low: 0.45, high: 0.6 },
    verdict: 'slower',
  },
  p90_ms: null,
  p99_ms: {
    target: 3,
    baseline: 1.75,
    ratio: 1.7,
    low: 0.9,
    high: 2.5,
    difference_ms: { value: 1.25, low: -0.1, high: 2.5 },
    verdict: 'undecided',
  },
  p99_9_ms: null,
  cpu_us_per_request: null,
};

export const row: Row = {
  scenario: 'healthz',
  protocol: 'http/1.1',
  request: 'GET /healthz',
  response_bytes: 2,
  target: side,
  direct: {
    ...side,
    requests_per_second: 2000,
    latency_ms: { p50: 0.5, p90: 1, p99: 1.75, p99_9: 2, max: 3 },
  },
  baseline: null,
  metrics,
  disturbed_rounds: { full_load: 0, fixed_rate: 0 },
  limited_by: 'target',
  verdict: 'slower',
  change: null,
  note: 'The origin alone does 2.0 times as much.',
};

export const report: Report = {
  format: '2.0',
  kind: 'bench',
  wirebin: '0.1.0',
  node: '20.20.2',
  target: 'https://lb.example',
  baseline: null,
  direct: 'http://10.0.0.5:8080',
  names: null,
  started_at: '2026-11-23T01:30:00.000Z',
  duration_seconds: 61.2,
  interrupted: false,
  settings: {
    rounds: 5,
    time_seconds: null,
    duration_seconds: 2,
    connections: 16,
    h2_connections: 4,
    streams: 16,
    threads: 1,
    rate: null,
  },
  machine: { processor: 'P', cores: 2, system: 'Linux 6.18' },
  rows: [row],
  failed_gates: [],
  verdict: 'The target is slower than the origin alone on healthz http/1.1.',
};

const [first] = scenarios;
if (!first) throw new Error('there is no scenario');
export const scenario: Scenario = first;

/** Of a target with the origin past it, on other machines. */
export const facts: RowFacts = {
  plan: { scenario, protocol: 'http/1.1', baseline: undefined, direct: 'http/1.1' },
  answer: { length: 2, failure: undefined, isStored: false },
  baselineAnswer: undefined,
  isSelf: false,
  isOneMachine: false,
  tlsOf: undefined,
  roundsToDo: undefined,
};

/** Two sides, of which the second is the direct one. */
export const sidesOf = <T>(target: T, direct?: T): OfSides<T> => ({
  target,
  baseline: undefined,
  direct,
});
