import { expect, test } from 'vitest';
import { Latencies } from '../../src/bench/latencies.ts';
import { Side } from '../../src/bench/measure.ts';
import { measuredRow } from '../../src/bench/row.ts';
import { Target } from '../../src/check/target.ts';
import { facts, scenario } from './_rows.ts';

const settings = {
  rounds: 5,
  seconds: 1,
  connections: 16,
  h2Connections: 4,
  streams: 16,
  rate: undefined,
  timeout: 5000,
};

/** A round in which all was well but for what is given. */
type Round = readonly [value: number, waited?: number];

const conditions = (waited = 0.01) => ({ busy: 0.5, waited, pressure: 0, origin: undefined });

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
    latencies.record(milliseconds);
    side.rateRounds.push({ ...conditions(waited), queued: 0, latencies });
  }
  side.doubled = { ...conditions(), requestsPerSecond: 500 };
  return side;
}

const fast: readonly Round[] = [[1000], [1010], [1000], [990], [1000]];

test('a pair falls if either of its sides was disturbed', () => {
  const target = sideOf([[500], [10, 0.4], [505], [495], [500]]);
  const direct = sideOf([[1000], [1010], [1000], [5, 0.3], [1000]]);
  const row = measuredRow(facts, target, direct);
  expect(row.target.samples).toEqual([500, 505, 500]);
  expect(row.direct?.samples).toEqual([1000, 1000, 1000]);
  expect(row.ratio?.median).toBe(0.5);
  expect(row.ratio?.high).toBeLessThan(0.6);
  expect(row.disturbed_rounds).toEqual({ full_load: 2, fixed_rate: 0 });
  expect(row.limited_by).toBe('target');
  expect(row.note).toMatch(
    /^2 of 5 rounds at full load were dropped: the load generator waited for a core for 35 %/,
  );
});

test('what is added is that of the rounds at the fixed rate that are left', () => {
  const target = sideOf(fast, [[3], [3.1], [3]]);
  const direct = sideOf(fast, [[1], [0.1, 0.5], [1]]);
  const row = measuredRow(facts, target, direct);
  const { added_ms: ms, added_interval_ms: interval, disturbed_rounds: dropped } = row;
  expect(ms?.p50).toBeCloseTo(2, 1);
  expect(interval?.p50.low).toBeGreaterThan(1.5);
  expect(dropped).toEqual({ full_load: 0, fixed_rate: 1 });
});

test('a row is invalid if too few rounds are left, at full load or at the fixed rate', () => {
  const starved: readonly Round[] = [[10, 0.5], [20, 0.5], [30, 0.5], [990], [1000]];
  const latencies: readonly Round[] = [[1], [1], [1], [1], [1]];
  for (const [target, direct] of [
    [sideOf(starved, latencies), sideOf(fast, latencies)],
    [sideOf(fast, latencies), sideOf(fast, starved)],
  ] as const) {
    const row = measuredRow(facts, target, direct);
    expect(row).toMatchObject({
      limited_by: 'invalid',
      ratio: null,
      added_ms: null,
      added_interval_ms: null,
    });
    expect(row.note).toMatch(
      /^Invalid: 3 of 5 rounds at (?:full load|the fixed rate) were dropped/,
    );
    expect(row.target.requests_per_second).toBeGreaterThan(0);
  }
});

test('the same side twice has a ratio that holds 1, and no limit of the target', () => {
  const scattered: readonly Round[] = [[1000], [1150], [900], [1000], [1120]];
  const { ratio, limited_by: limit } = measuredRow(facts, sideOf(scattered), sideOf(fast));
  expect(ratio?.low).toBeLessThan(1);
  expect(ratio?.high).toBeGreaterThan(1);
  expect(limit).not.toBe('target');
});

test('a row says that load, target and origin share cores, unless the limit is known to be another', () => {
  const shared = { ...facts, isOneMachine: true };
  const rowOf = (busy: number, target: readonly Round[]): [string, string] => {
    const side = sideOf(target);
    const rounds = side.fullLoads.map((round) => ({ ...round, busy }));
    side.fullLoads.splice(0, rounds.length, ...rounds);
    const { limited_by: limit, note } = measuredRow(shared, side, sideOf(fast));
    return [limit, note];
  };
  const share = /share the cores of this machine/;
  const slow: readonly Round[] = [[480], [485], [480], [475], [480]];
  const near: readonly Round[] = [[700], [707], [700], [693], [700]];
  expect(rowOf(0.5, slow)).toEqual(['target', expect.stringMatching(share)]);
  expect(rowOf(0.5, near)).toEqual(['unknown', expect.stringMatching(share)]);
  expect(rowOf(0.95, near)).toEqual(['load', expect.not.stringMatching(share)]);
});
