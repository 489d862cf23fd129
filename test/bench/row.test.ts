import { expect, test } from 'vitest';
import { Latencies } from '../../src/bench/latencies.ts';
import { Side } from '../../src/bench/measure.ts';
import type { RowFacts } from '../../src/bench/notes.ts';
import { isClear, measuredRow } from '../../src/bench/row.ts';
import { Target } from '../../src/check/target.ts';
import { facts, scenario, sidesOf } from './_rows.ts';

const settings = {
  seconds: 1,
  connections: 16,
  h2Connections: 4,
  streams: 16,
  rate: undefined,
  timeout: 5000,
};

/** A round in which all was well but for what is given. */
type Round = readonly [value: number, waited?: number];

const conditions = (waited = 0.01) => ({
  busy: 0.5,
  waited,
  pressure: 0,
  origin: undefined,
  requests: 1,
  errors: {},
});

/** A side with these requests per second, and these latencies in milliseconds. */
function sideOf(full: readonly Round[], fixed: readonly Round[] = []): Side {
  const target = new Target({ url: new URL('http://127.0.0.1:1'), insecure: true });
  const at = { target, protocol: 'http/1.1', origin: undefined } as const;
  const side = new Side(at, scenario, settings, 2);
  for (const [requestsPerSecond, waited] of full) {
    side.fullLoads.push({ ...conditions(waited), requestsPerSecond });
  }
  for (const [milliseconds, waited] of fixed) {
    const latencies = new Latencies();
    for (let by = -50; by < 50; by++) latencies.record(milliseconds * (1 + by / 2500));
    const requests = latencies.count;
    const sent = { queued: 0, completed: 1, lagP99: 0, requests };
    side.rateRounds.push({ ...conditions(waited), ...sent, latencies });
  }
  side.doubled = { ...conditions(), requestsPerSecond: 500 };
  return side;
}

/** These rounds twice: with less than ten, nothing is certain. */
const twice = (...rounds: readonly Round[]): readonly Round[] => [...rounds, ...rounds];

const fast = twice([1000], [1010], [1000], [990], [1000]);

test('a pair falls if either of its sides was disturbed', () => {
  const target = sideOf([[10, 0.4], ...twice([500], [510], [505], [495], [500]), [500]]);
  const direct = sideOf([[1000], ...fast, [5, 0.3]]);
  const row = measuredRow(facts, sidesOf(target, direct));
  expect(row.target.samples).toHaveLength(10);
  expect(row.direct?.samples).toEqual(fast.map(([value]) => value));
  expect(row.metrics.requests_per_second?.ratio).toBeCloseTo(0.5, 2);
  expect(row.metrics.requests_per_second?.high).toBeLessThan(0.6);
  expect(row.disturbed_rounds).toEqual({ full_load: 2, fixed_rate: 0 });
  expect(row).toMatchObject({ limited_by: 'target', verdict: 'slower', change: null });
  expect(row.note).toMatch(
    /^2 of 12 rounds at full load were dropped: the load generator waited for a core for 35 %/,
  );
});

test('what is added is that of the rounds at the fixed rate that are left', () => {
  const target = sideOf(fast, twice([3], [3.1], [3]));
  const direct = sideOf(fast, twice([1], [0.1, 0.5], [1]));
  const row = measuredRow(facts, sidesOf(target, direct));
  const { metrics, disturbed_rounds: dropped } = row;
  expect(metrics.p50_ms?.difference_ms.value).toBeCloseTo(2, 1);
  // Four rounds have no bounds.
  expect(metrics.p50_ms).toMatchObject({ low: 0, high: null, verdict: 'undecided' });
  expect(dropped).toEqual({ full_load: 0, fixed_rate: 2 });
});

/** These in turn, ten times in all. */
const ten = (...each: number[]): readonly Round[] =>
  Array.from({ length: 10 }, (_, at) => [each[at % each.length] ?? 0]);

const verdictOfP50 = (target: readonly Round[], direct: readonly Round[]) => {
  const { metrics } = measuredRow(facts, sidesOf(sideOf(fast, target), sideOf(fast, direct)));
  return metrics.p50_ms?.verdict;
};
test('latencies differ by their difference and their ratio', () => {
  expect(verdictOfP50(ten(3, 3.1), ten(1, 1.1))).toBe('slower');
  expect(verdictOfP50(ten(1, 1.1), ten(3, 3.1))).toBe('faster');
  // Twice as much, but not worth a tenth of a millisecond.
  expect(verdictOfP50(ten(0.1), ten(0.05))).toBe('no-difference');
  // A millisecond, but not worth 5 %.
  expect(verdictOfP50(ten(41, 41.1), ten(40, 40.1))).toBe('no-difference');
  expect(verdictOfP50(ten(3, 1), ten(1, 3.2))).toBe('undecided');
});

test('rounds in which a target stalls count, and a note tells of them', () => {
  const [stalling, direct] = [sideOf(fast, ten(1, 1, 1, 300)), sideOf(fast, ten(1))];
  for (const [at, round] of stalling.rateRounds.entries()) {
    stalling.rateRounds[at] = { ...round, queued: at % 4 === 3 ? 0.16 : 0.01 };
  }
  const row = measuredRow(facts, sidesOf(stalling, direct));
  expect(row.disturbed_rounds.fixed_rate).toBe(0);
  expect(row.target.latency_ms?.p99).toBeGreaterThan(299);
  expect(row.note).toContain(
    'In 2 of 10 rounds at the fixed rate, 16 % of the requests through the target waited for others.',
  );
});

test('a target that does nothing in half of the rounds is not like its baseline', () => {
  const direct = sideOf(ten(1000));
  const stopped = measuredRow(facts, sidesOf(sideOf(ten(0)), direct));
  expect(stopped.metrics.requests_per_second).toMatchObject({ ratio: 0, verdict: 'slower' });
  const half = measuredRow(facts, sidesOf(sideOf(ten(0, 1000)), direct));
  expect(half.metrics.requests_per_second).toMatchObject({ low: 0, verdict: 'undecided' });
  expect(half.verdict).toBe('undecided');
  const none = measuredRow(facts, sidesOf(direct, sideOf(ten(0))));
  expect(none.metrics.requests_per_second).toBeNull();
});

test('a row is invalid if too few rounds are left, at full load or at the fixed rate', () => {
  const starved = twice([10, 0.5], [20, 0.5], [30, 0.5], [990], [1000]);
  const latencies = twice([1], [1], [1], [1], [1]);
  for (const [target, direct] of [
    [sideOf(starved, latencies), sideOf(fast, latencies)],
    [sideOf(fast, latencies), sideOf(fast, starved)],
  ] as const) {
    const row = measuredRow(facts, sidesOf(target, direct));
    expect(row).toMatchObject({
      limited_by: 'invalid',
      verdict: 'invalid',
      metrics: { requests_per_second: null, p50_ms: null },
    });
    expect(row.change).toMatch(/^6 of 10 rounds at (?:full load|the fixed rate) were dropped/);
    expect(row.target.requests_per_second).toBeGreaterThan(0);
  }
});

test('the same side twice has a ratio that holds 1, and no limit of the target', () => {
  const scattered = twice([1000], [1150], [900], [1000], [1120]);
  const row = measuredRow(facts, sidesOf(sideOf(scattered), sideOf(fast)));
  expect(row.metrics.requests_per_second?.low).toBeLessThan(1);
  expect(row.metrics.requests_per_second?.high).toBeGreaterThan(1);
  expect(row.limited_by).not.toBe('target');
  expect(row.verdict).toBe('undecided');
});

test('a row says that load, target and origin share cores, unless the limit is known to be another', () => {
  const shared = { ...facts, isOneMachine: true };
  const rowOf = (busy: number, target: readonly Round[]): [string, string] => {
    const side = sideOf(target);
    const rounds = side.fullLoads.map((round) => ({ ...round, busy }));
    side.fullLoads.splice(0, rounds.length, ...rounds);
    const { limited_by: limit, note } = measuredRow(shared, sidesOf(side, sideOf(fast)));
    return [limit, note];
  };
  const share = /share the cores of this machine/;
  const slow = twice([480], [485], [480], [475], [480]);
  const near = twice([700], [707], [700], [693], [700]);
  expect(rowOf(0.5, slow)).toEqual(['target', expect.stringMatching(share)]);
  expect(rowOf(0.5, near)).toEqual(['unknown', expect.stringMatching(share)]);
  expect(rowOf(0.95, near)).toEqual(['load', expect.not.stringMatching(share)]);
});

test('a baseline is what is compared with, and a direct side shows the limit', () => {
  const sides = {
    target: sideOf(twice([468], [473], [468], [463], [468])),
    baseline: sideOf(twice([520], [525], [520], [515], [520])),
    direct: sideOf(fast),
  };
  const row = measuredRow(facts, sides);
  expect(row).toMatchObject({
    metrics: { requests_per_second: { ratio: 0.9 } },
    limited_by: 'target',
    verdict: 'slower',
  });
  expect(row.baseline?.requests_per_second).toBe(520);
  expect(row.direct?.requests_per_second).toBe(1000);
  const alone = measuredRow(facts, { ...sides, direct: undefined });
  expect(alone).toMatchObject({ direct: null, limited_by: 'unknown', verdict: 'slower' });
});

test.each<[string, Partial<RowFacts>, string]>([
  [
    'another protocol',
    { plan: { ...facts.plan, protocol: 'h2c', baseline: 'http/1.1' } },
    'The baseline does not speak h2c. Compare them on one that both speak (--protocol).',
  ],
  [
    'responses of another size',
    { answer: { ...facts.answer, length: 1000 } },
    'The responses have 1000 bytes, and those of the baseline 979.',
  ],
])('with %s, a row of two targets is invalid', (_, given, change) => {
  const baselineAnswer = { ...facts.answer, length: 979 };
  const plan = { ...facts.plan, baseline: 'http/1.1' as const };
  const sides = { target: sideOf(fast), baseline: sideOf(fast), direct: undefined };
  const row = measuredRow({ ...facts, plan, baselineAnswer, ...given }, sides);
  expect(row).toMatchObject({ verdict: 'invalid', change });
  // An echo varies by a few bytes.
  const alike = { ...facts, plan, baselineAnswer, answer: { ...facts.answer, length: 980 } };
  expect(measuredRow(alike, sides).verdict).not.toBe('invalid');
});

/** @param scatter how far apart two rounds in turn are, in microseconds */
const withCpu = (micros: number, scatter = 0): Side => {
  const side = sideOf(fast);
  const rounds = side.fullLoads.map((round, at) => ({
    ...round,
    cpuPerRequest: micros + (at % 2) * scatter,
  }));
  side.fullLoads.splice(0, rounds.length, ...rounds);
  return side;
};

test('the CPU of a request is a metric of its own', () => {
  const row = measuredRow(facts, sidesOf(withCpu(22), withCpu(20)));
  expect(row.target.cpu_samples_us).toHaveLength(10);
  expect(row.metrics.cpu_us_per_request).toMatchObject({ ratio: 1.1, verdict: 'slower' });
  expect(row.metrics.requests_per_second?.verdict).toBe('no-difference');
  expect(row.verdict).toBe('slower');
});

const clear = (of: 'fullLoads' | 'rateRounds', target: Side, direct?: Side): boolean =>
  isClear(of, facts, sidesOf(target, direct));

test('rounds are clear if the metrics are decided, and their intervals narrow', () => {
  const rounds = fast.map(([value], at): Round => [value + (at % 2 === 0 ? 5 : -5)]);
  const scattered = fast.map((_, at): Round => [1000 * (1 + (at % 3) / 4)]);
  const latencies = ten(1, 1.02);
  const side = sideOf(rounds, latencies);
  expect(clear('fullLoads', side, sideOf(fast, ten(3)))).toBe(true);
  expect(clear('fullLoads', side, sideOf(scattered))).toBe(false);
  expect(clear('fullLoads', side, sideOf(fast.slice(1)))).toBe(true);
  expect(clear('fullLoads', side, sideOf(fast.slice(5)))).toBe(false);
  expect(clear('rateRounds', side, sideOf(fast, ten(3)))).toBe(true);
  // Slower without doubt, but nobody knows by how much.
  expect(clear('rateRounds', sideOf(rounds, ten(3, 9)), sideOf(fast, latencies))).toBe(false);
  expect(clear('fullLoads', withCpu(20), withCpu(20))).toBe(true);
  expect(clear('fullLoads', withCpu(20), withCpu(16, 8))).toBe(false);
  // Without a baseline there is nothing to wait for.
  expect(clear('fullLoads', sideOf(scattered))).toBe(true);
});
