import { expect, test } from 'vitest';
import { failedGates } from '../../src/bench/gates.ts';
import { NO_METRICS } from '../../src/bench/metrics.ts';
import { row } from './_rows.ts';

const gates = (minRate?: number, maxAddedP99?: number) => ({ minRate, maxAddedP99 });

test('nothing is asked for, or it is met', () => {
  expect(failedGates([row], gates())).toEqual([]);
  expect(failedGates([row], gates(1000, 0.00125))).toEqual([]);
});

test('a line for each row that misses', () => {
  expect(failedGates([row, { ...row, protocol: 'h2' }], gates(1001))).toEqual([
    'healthz http/1.1: 1000 requests/s; --min-rate asks for 1001',
    'healthz h2: 1000 requests/s; --min-rate asks for 1001',
  ]);
  expect(failedGates([row], gates(undefined, 0.001))).toEqual([
    'healthz http/1.1: p99 + 1.250 ms; --max-added-p99 allows 1 ms',
  ]);
});

test.each(['invalid', 'load'] as const)('an invalid row neither misses nor meets: %s', (limit) => {
  const invalid = { ...row, verdict: 'invalid', limited_by: limit, metrics: NO_METRICS } as const;
  expect(failedGates([invalid], gates(1_000_000, 0.001))).toEqual([]);
});

test('what was not measured misses', () => {
  expect(failedGates([{ ...row, metrics: NO_METRICS }], gates(undefined, 1))).toEqual([
    'healthz http/1.1: the added latency was not measured; --max-added-p99 allows 1000 ms',
  ]);
});
