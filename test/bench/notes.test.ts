import { expect, test } from 'vitest';
import { Latencies } from '../../src/bench/latencies.ts';
import { comparisonNotes, type RowFacts, type SideFacts } from '../../src/bench/notes.ts';
import { facts, sidesOf } from './_rows.ts';

const full = {
  requestsPerSecond: 2000,
  busy: 0.5,
  waited: 0,
  pressure: 0,
  origin: undefined,
  requests: 1,
  errors: {},
};

function side(rounds = { full: 5, fixed: 5 }, tooHighRate?: number): SideFacts {
  const latencies = new Latencies();
  return {
    fullLoads: Array.from({ length: rounds.full }, () => full),
    rateRounds: Array.from({ length: rounds.fixed }, () => ({
      ...full,
      queued: 0,
      completed: 1,
      lagP99: 0,
      latencies,
    })),
    rate: 1000,
    tooHighRate,
  };
}

test('there is nothing to say of two sides that are alike', () => {
  expect(comparisonNotes(facts, sidesOf(side(), side()))).toEqual([]);
  expect(comparisonNotes(facts, sidesOf(side(), undefined))).toEqual([]);
});

test.each<[Partial<RowFacts>, string]>([
  [{ plan: { ...facts.plan, direct: 'h2c' } }, 'Past the target, h2c was used.'],
  [{ plan: { ...facts.plan, baseline: 'h2c' } }, 'With the baseline, h2c was used.'],
  [{ tlsOf: 'target' }, 'Past the target, there is no TLS: what the target adds includes it.'],
  [{ tlsOf: 'baseline' }, 'Past the target, there is TLS, and with the target none'],
  [{ answer: { ...facts.answer, isStored: true } }, 'A cache has answered'],
  [{ isSelf: true }, 'Load and origin share a thread.'],
])('%j', (different, note) => {
  expect(comparisonNotes({ ...facts, ...different }, sidesOf(side(), side()))).toEqual([
    expect.stringContaining(note),
  ]);
});

test('a rate that was lowered is named', () => {
  expect(comparisonNotes(facts, sidesOf(side(undefined, 4000), side()))).toEqual([
    '4,000 requests/s were too many, since requests waited for others: latencies are those at 1,000.',
  ]);
});

test('an interrupted row says how many rounds it has', () => {
  const interrupted = { ...facts, roundsToDo: 5 };
  const notes = (...rounds: { full: number; fixed: number }[]): string[] => {
    const [target = side(), direct] = rounds.map((each) => side(each));
    return comparisonNotes(interrupted, sidesOf(target, direct));
  };
  expect(notes({ full: 5, fixed: 5 }, { full: 5, fixed: 5 })).toEqual([]);
  expect(notes({ full: 2, fixed: 0 }, { full: 1, fixed: 0 })).toEqual([
    'Interrupted: of 5 rounds, 1 at full load and 0 at the fixed rate are finished.',
  ]);
  expect(notes({ full: 5, fixed: 3 })).toEqual([
    'Interrupted: of 5 rounds, 5 at full load and 3 at the fixed rate are finished.',
  ]);
});
