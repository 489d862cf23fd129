import { expect, test } from 'vitest';
import { randomNumbers } from '../../src/bench/bootstrap.ts';
import { metricsOf, type MetricSamples } from '../../src/bench/metrics.ts';
import type { Samples } from '../../src/bench/ratio.ts';
import type { Verdict } from '../../src/bench/report/report.ts';
import { judge } from '../../src/bench/verdict.ts';

const random = randomNumbers(29);
const normal = (): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** Rounds whose pairs scatter by a share, and of which some met a disturbance; `factor` is what the target does more. */
function roundsOf(count: number, scatter: number, factor: number): Samples {
  const drawn = (): number => Math.exp(scatter * normal()) * (random() < 0.05 ? 3 : 1);
  return {
    target: Array.from({ length: count }, () => factor * drawn()),
    baseline: Array.from({ length: count }, drawn),
    isPaired: true,
  };
}

/** How often so many runs have each word. @param factor of the requests per second; that of latencies is inverse */
function wordsOf(runs: number, count: number, factor: number): Map<Verdict, number> {
  const words = new Map<Verdict, number>();
  for (let run = 0; run < runs; run++) {
    const samples: MetricSamples = {
      requests_per_second: roundsOf(count, 0.05, factor),
      cpu_us_per_request: roundsOf(count, 0.04, 1 / factor),
      p50_ms: roundsOf(count, 0.1, 1 / factor),
      p90_ms: roundsOf(count, 0.2, 1 / factor),
      p99_ms: roundsOf(count, 0.4, 1 / factor),
      p99_9_ms: undefined,
    };
    const word = judge(metricsOf(samples)).verdict;
    words.set(word, (words.get(word) ?? 0) + 1);
  }
  return words;
}

test.each([10, 25])('of %i rounds of one build and itself, none says that they differ', (count) => {
  const words = wordsOf(100, count, 1);
  expect(words.get('slower') ?? 0).toBe(0);
  expect(words.get('faster') ?? 0).toBe(0);
});

test('of 30 rounds of what is a tenth slower, nine in ten runs say so', () => {
  const words = wordsOf(50, 30, 0.9);
  expect(words.get('slower')).toBeGreaterThanOrEqual(45);
  expect(words.get('faster') ?? 0).toBe(0);
});
