import { expect, test } from 'vitest';
import type { Row } from '../../../src/bench/report/report.ts';
import { verdictOf } from '../../../src/bench/report/verdict.ts';
import { metrics, row } from '../_rows.ts';

const { requests_per_second: rate, p50_ms: p50 } = metrics;
if (!rate || !p50) throw new Error('a metric is missing');

const rowOf = (verdict: Row['verdict'], given: Partial<Row> = {}): Row => ({
  ...row,
  verdict,
  ...given,
});

const faster = rowOf('faster', {
  protocol: 'h2',
  metrics: {
    ...metrics,
    requests_per_second: { ...rate, ratio: 1.08, low: 1.06, high: 1.1, verdict: 'faster' },
    p50_ms: null,
  },
});
const late = rowOf('slower', {
  metrics: { ...metrics, requests_per_second: { ...rate, verdict: 'undecided' } },
});
const alikeMetrics: Row['metrics'] = {
  ...metrics,
  requests_per_second: { ...rate, ratio: 1, low: 0.984, high: 1.012, verdict: 'no-difference' },
  p50_ms: {
    ...p50,
    difference_ms: { value: 0.01, low: -0.02, high: 0.03 },
    verdict: 'no-difference',
  },
  p99_ms: null,
};
const alike = rowOf('no-difference', { metrics: alikeMetrics });
const tail = rowOf('no-difference', { metrics: { ...alikeMetrics, p99_ms: metrics.p99_ms } });
const open = rowOf('slower', {
  metrics: { ...metrics, requests_per_second: { ...rate, low: 0 } },
});
const undecided = rowOf('undecided', {
  metrics: {
    ...alikeMetrics,
    requests_per_second: { ...rate, ratio: 0.97, low: 0.92, high: 1.01, verdict: 'undecided' },
  },
});
const failed = rowOf('undecided', {
  target: { ...row.target, samples: [], errors: { 'status 503': 1 } },
});
const invalid = rowOf('invalid', { change: 'The origin was the limit. Start it with more.' });
const dropped = rowOf('slower', { disturbed_rounds: { full_load: 2, fixed_rate: 1 } });
const wrong = rowOf('slower', { target: { ...row.target, errors: { reset: 1 } } });

test.each<[readonly Row[], string]>([
  [[], 'Nothing was measured.'],
  [
    [row],
    'The target is slower than the origin alone on healthz http/1.1: 50 % fewer requests/s (45 to 55 %).',
  ],
  [
    [open],
    'The target is slower than the origin alone on healthz http/1.1: 50 % fewer requests/s (from 45 %).',
  ],
  [
    [late],
    'The target is slower than the origin alone on healthz http/1.1: p50 + 0.50 ms (0.45 to 0.60 ms).',
  ],
  [
    [alike, faster, row],
    'The target is slower than the origin alone on healthz http/1.1: 50 % fewer requests/s (45 to 55 %); the target is faster than the origin alone on healthz h2: 8 % more requests/s (6 to 10 %); no difference between the target and the origin alone on healthz http/1.1: requests/s -1.6 to 1.2 %, p50 + 0.01 ms (-0.02 to 0.03 ms).',
  ],
  [
    [row, row, alike],
    'The target is slower than the origin alone on 2 of 3 rows, most on healthz http/1.1: 50 % fewer requests/s (45 to 55 %); no difference between the target and the origin alone on healthz http/1.1: requests/s -1.6 to 1.2 %, p50 + 0.01 ms (-0.02 to 0.03 ms).',
  ],
  [
    [undecided],
    'Undecided on healthz http/1.1 (requests/s -8.0 to 1.0 %): more rounds may decide (--time, --rounds).',
  ],
  [
    [tail],
    'No difference between the target and the origin alone on healthz http/1.1: requests/s -1.6 to 1.2 %, p50 + 0.01 ms (-0.02 to 0.03 ms), p99 undecided.',
  ],
  [
    [tail, alike],
    'No difference between the target and the origin alone on all 2 rows, p99 undecided.',
  ],
  [
    [{ ...undecided, target: { ...row.target, errors: { reset: 1500 } } }],
    'Undecided on healthz http/1.1: 30.0 % of the requests failed, and 0.0 % of those of the baseline; 1 row with errors.',
  ],
  [
    [rowOf('undecided', { direct: null })],
    'There is nothing to compare with, so that only limits were judged.',
  ],
  [[failed], 'Not measured on healthz http/1.1; 1 row with errors.'],
  [[invalid, invalid], 'Invalid on all 2 rows: The origin was the limit. Start it with more.'],
  [
    [dropped, wrong],
    'The target is slower than the origin alone on all 2 rows, most on healthz http/1.1: 50 % fewer requests/s (45 to 55 %); 3 disturbed rounds were dropped; 1 row with errors.',
  ],
])('%#', (rows, verdict) => {
  expect(verdictOf(rows, null)).toBe(verdict);
});

test('sides have their names', () => {
  expect(verdictOf([row], { target: 'new', baseline: 'old' })).toBe(
    'new is slower than old on healthz http/1.1: 50 % fewer requests/s (45 to 55 %).',
  );
});
