import { array, assert, double, property } from 'fast-check';
import { expect, test } from 'vitest';
import { Latencies } from '../../src/bench/latencies.ts';

test('percentiles are those of the sorted values, to 1 %', () => {
  const latency = double({ min: 0.001, max: 60_000, noNaN: true });
  assert(
    property(array(latency, { minLength: 1, maxLength: 500 }), (values) => {
      const latencies = new Latencies();
      for (const value of values) latencies.record(value);
      const sorted = values.toSorted((a, b) => a - b);
      const { p50, p90, p99, p99_9: p999, max } = latencies.percentiles ?? {};
      const found = [p50, p90, p99, p999, max];
      for (const [at, percent] of [50, 90, 99, 99.9, 100].entries()) {
        // The rank is rounded to one or the other.
        const rank = (percent / 100) * sorted.length;
        const low = sorted[Math.max(0, Math.floor(rank) - 1)] ?? Number.NaN;
        const high = sorted[Math.max(0, Math.ceil(rank) - 1)] ?? Number.NaN;
        // A nanosecond is the least that is recorded.
        expect(found[at]).toBeGreaterThanOrEqual(low * 0.99 - 1e-6);
        expect(found[at]).toBeLessThanOrEqual(high * 1.01 + 1e-6);
      }
    }),
  );
});

test('those of others are added', () => {
  const all = new Latencies();
  for (const values of [[], [1, 2], [8, 9, 10]]) {
    const latencies = new Latencies();
    for (const value of values) latencies.record(value);
    all.add(latencies);
  }
  expect(all.percentiles?.p50).toBeCloseTo(8, 1);
  expect(all.percentiles?.max).toBeCloseTo(10, 1);
  const none = new Latencies();
  none.add(new Latencies());
  expect(none.percentiles).toBeUndefined();
});

test('there are none without values, and zero is one', () => {
  const latencies = new Latencies();
  expect(latencies.percentiles).toBeUndefined();
  latencies.record(0);
  expect(latencies.percentiles?.max).toBeLessThan(0.001);
});
