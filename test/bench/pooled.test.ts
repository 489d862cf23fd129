import { describe, expect, test } from 'vitest';
import { randomNumbers } from '../../src/bench/bootstrap.ts';
import { Latencies } from '../../src/bench/latencies.ts';
import { metricsOf } from '../../src/bench/metrics.ts';
import type { LatencyRound } from '../../src/bench/pooled.ts';

const random = randomNumbers(7);

/** A round of about so many milliseconds, of which a share stalls, and some requests fail. */
function round(milliseconds: number, stalls = 0, failed = 0): LatencyRound {
  const latencies = new Latencies();
  const level = 1 + (random() - 0.5) / 25;
  for (let at = 0; at < 500; at++) {
    const isStall = random() < stalls;
    latencies.record(isStall ? 300 * random() : milliseconds * level * (0.9 + random() / 5));
  }
  return { latencies, requests: 500 + failed, errors: failed > 0 ? { reset: failed } : {} };
}

const rounds = (count: number, make: (at: number) => LatencyRound): LatencyRound[] =>
  Array.from({ length: count }, (_, at) => make(at));

const NONE = {
  requests_per_second: undefined,
  p50_ms: undefined,
  p90_ms: undefined,
  p99_ms: undefined,
  p99_9_ms: undefined,
  cpu_us_per_request: undefined,
};

const metricsOfRounds = (target: LatencyRound[], baseline: LatencyRound[]) =>
  metricsOf({ ...NONE, latencies: { target, baseline } }, { low: false, high: false });

test('stalls in less than half of the rounds show', () => {
  const stalling = rounds(40, (at) => round(2, at % 10 < 3 ? 0.16 : 0));
  const { p50_ms: p50, p99_ms: p99 } = metricsOfRounds(
    stalling,
    rounds(40, () => round(2)),
  );
  expect(p50?.verdict).toBe('no-difference');
  expect(p99?.verdict).toBe('slower');
  const all = new Latencies();
  for (const { latencies } of stalling) all.add(latencies);
  expect((p99?.target ?? 0) / all.at(99)).toBeCloseTo(1, 1);
});

test('stalls in a few rounds are no difference, and no certain one', () => {
  const stalling = rounds(20, (at) => round(2, at < 3 ? 0.4 : 0));
  const { p99_ms: p99 } = metricsOfRounds(
    stalling,
    rounds(20, () => round(2)),
  );
  expect(p99?.verdict).toBe('undecided');
  expect(p99?.high).toBeGreaterThan(2);
});

test('ten rounds suffice, if they agree', () => {
  const [slow, quick] = [rounds(10, () => round(3)), rounds(10, () => round(2))];
  const { p50_ms: p50, p99_ms: p99 } = metricsOfRounds(slow, quick);
  expect([p50?.verdict, p99?.verdict]).toEqual(['slower', 'slower']);
  expect(metricsOfRounds(quick, slow).p99_ms?.verdict).toBe('faster');
  expect(metricsOfRounds(slow.slice(1), quick.slice(1)).p99_ms?.verdict).toBe('undecided');
  expect(p50?.ratio).toBeCloseTo(1.5, 1);
  expect(p50?.low).toBeLessThan(p50?.ratio ?? 0);
  expect(p50?.high).toBeGreaterThan(p50?.ratio ?? Infinity);
  expect(p50?.difference_ms.value).toBeCloseTo(1, 1);
});

test('what is less than 5 % or 0.1 ms is no difference', () => {
  const { p50_ms: share } = metricsOfRounds(
    rounds(30, () => round(40.8)),
    rounds(30, () => round(40)),
  );
  expect(share?.verdict).toBe('no-difference');
  const { p50_ms: little } = metricsOfRounds(
    rounds(10, () => round(0.1)),
    rounds(10, () => round(0.05)),
  );
  expect(little?.verdict).toBe('no-difference');
});

describe('failed requests', () => {
  test('are slower than all others', () => {
    const { p50_ms: p50, p99_ms: p99 } = metricsOfRounds(
      rounds(10, () => round(1, 0, 20)),
      rounds(10, () => round(2)),
    );
    expect(p50?.verdict).toBe('faster');
    expect(p99?.target).toBe(3_600_000);
    expect(p99?.verdict).not.toMatch(/faster|no-difference/);
  });

  test('are all of a round without others', () => {
    const failed = { latencies: new Latencies(), requests: 500, errors: { refused: 500 } };
    const { p90_ms: p90 } = metricsOfRounds(
      rounds(10, (at) => (at < 4 ? failed : round(2))),
      rounds(10, () => round(2)),
    );
    expect(p90?.target).toBe(3_600_000);
    expect(p90?.verdict).not.toBe('no-difference');
  });
});

const nine = (milliseconds: number) => {
  const latencies = new Latencies();
  for (let at = 0; at < 9; at++) latencies.record(milliseconds + at / 100);
  return { latencies, requests: 9, errors: {} };
};

test('a percentile has requests beyond it', () => {
  const few = metricsOfRounds(
    rounds(10, () => nine(1)),
    rounds(10, () => nine(2)),
  );
  expect(few.p90_ms).not.toBeNull();
  expect(few.p99_ms).toBeNull();
  const enough = metricsOfRounds(
    rounds(12, () => nine(1)),
    rounds(12, () => nine(2)),
  );
  expect(enough.p99_ms).not.toBeNull();
  expect(enough.p99_9_ms).toBeNull();
});

test('of two sides that stall alike, none is slower', () => {
  let claims = 0;
  for (let run = 0; run < 20; run++) {
    const stalling = () => rounds(12, () => round(2, random() < 0.3 ? 0.2 : 0));
    const { p50_ms: p50, p90_ms: p90, p99_ms: p99 } = metricsOfRounds(stalling(), stalling());
    for (const metric of [p50, p90, p99]) {
      if (/slower|faster/.test(metric?.verdict ?? '')) claims++;
    }
  }
  expect(claims).toBe(0);
});
