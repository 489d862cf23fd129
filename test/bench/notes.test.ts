import { expect, test } from 'vitest';
import { Latencies } from '../../src/bench/latencies.ts';
import { comparisonNotes, type RowFacts, type SideFacts } from '../../src/bench/notes.ts';
import { scenarios } from '../../src/bench/scenarios.ts';

const [scenario] = scenarios;
if (!scenario) throw new Error('there is no scenario');

const facts: RowFacts = {
  plan: { scenario, protocol: 'h2', direct: 'h2' },
  answer: { length: 2, failure: undefined, isStored: false },
  isSelf: false,
  isOneMachine: false,
  isTlsAdded: false,
  roundsToDo: undefined,
};

/** A side of 16 connections at 1,000 requests per second, with a median latency in milliseconds. */
function side(median: number, rounds = { full: 5, fixed: 5 }): SideFacts {
  const latencies = new Latencies();
  latencies.record(median);
  return {
    samples: Array.from({ length: rounds.full }, () => 2000),
    latencies,
    latencyRounds: Array.from({ length: rounds.fixed }, () => latencies.percentiles),
    rate: 1000,
    concurrency: 16,
  };
}

test('there is nothing to say of two sides that are alike', () => {
  expect(comparisonNotes(facts, side(1), side(1))).toEqual([]);
  expect(comparisonNotes(facts, side(1), undefined)).toEqual([]);
});

test.each<[Partial<RowFacts>, string]>([
  [{ plan: { ...facts.plan, direct: 'h2c' } }, 'Past the target, h2c was used.'],
  [{ isTlsAdded: true }, 'Past the target, there is no TLS: what the target adds includes it.'],
  [{ answer: { ...facts.answer, isStored: true } }, 'A cache has answered'],
  [{ isSelf: true }, 'Load and origin share a thread.'],
])('%j', (different, note) => {
  expect(comparisonNotes({ ...facts, ...different }, side(1), side(1))).toEqual([
    expect.stringContaining(note),
  ]);
});

// 16 requests at the same time, of 15.5 ms each, are 1,032 per second; of 16.5 ms, 970.
test.each([
  [15.5, 15.5, undefined],
  [16.5, 15.5, 'Through the target, 1,000 requests/s were too many'],
  [15.5, 16.5, 'Past the target, 1,000 requests/s were too many'],
  [16.5, 210, 'Through the target and past it, 1,000 requests/s were too many'],
])('medians of %d and %d ms: %s', (target, direct, note) => {
  expect(comparisonNotes(facts, side(target), side(direct))).toEqual(
    note === undefined ? [] : [expect.stringContaining(note)],
  );
});

test('an interrupted row says how many rounds it has', () => {
  const interrupted = { ...facts, roundsToDo: 5 };
  const notes = (...rounds: { full: number; fixed: number }[]): string[] => {
    const [target = side(1), direct] = rounds.map((each) => side(1, each));
    return comparisonNotes(interrupted, target, direct);
  };
  expect(notes({ full: 5, fixed: 5 }, { full: 5, fixed: 5 })).toEqual([]);
  expect(notes({ full: 2, fixed: 0 }, { full: 1, fixed: 0 })).toEqual([
    'Interrupted: of 5 rounds, 1 at full load and 0 at the fixed rate are finished.',
  ]);
  expect(notes({ full: 5, fixed: 3 })).toEqual([
    'Interrupted: of 5 rounds, 5 at full load and 3 at the fixed rate are finished.',
  ]);
});
