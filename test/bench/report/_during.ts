import type { DuringView } from '../../../src/bench/during/schema.ts';

const latency = (p50: number) => ({ p50, p90: 2, p99: 3, p99_9: 4, max: 5 });
const bucket = (at_ms: number, errors: number, p50: number | null) => ({
  at_ms,
  requests: 100,
  errors,
  p50_ms: p50,
  p99_ms: p50,
  max_ms: p50,
});
/** What the journal says if each request arrived once. */
export const NONE = { lost: 0, responses_lost: 0, answered_elsewhere: 0, repeated: 0, unknown: 0 };

/** A load while a command ran. */
export const during: DuringView = {
  scenario: 'healthz',
  protocol: 'h2',
  request: 'GET /healthz',
  command: { text: 'reload it', exit_code: 0, duration_ms: 1234.5 },
  rate: 1000,
  load_lag_ms: 0.5,
  requests: 4000,
  errors: {},
  not_sent: 0,
  journal: NONE,
  before: { requests: 1000, errors: {}, latency_ms: latency(1) },
  during: { requests: 2000, errors: {}, latency_ms: null },
  after: { requests: 1000, errors: {}, latency_ms: latency(1.5) },
  bucket_ms: 100,
  buckets: [bucket(-100, 0, 1), bucket(0, 5, null), bucket(100, 0, 10)],
  note: '',
};
