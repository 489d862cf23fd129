import { expect, test } from 'vitest';
import type { Check, Outcome } from '../../src/check/check.ts';
import { blockedGaps, changedGaps, gapText, lostGaps, requiredGaps } from '../../src/check/gaps.ts';
import type { Result } from '../../src/check/result.ts';
import { pass } from '../../src/check/verdict.ts';
import { resultWithOutcome } from './_results.ts';

function check(id: Check['id'], fronts?: Check['fronts']): Check {
  const rule = { section: 'RFC 9110', rule: 'A rule.', level: 'must', risk: 'interop' } as const;
  return { ...rule, id, ...(fronts && { fronts }), run: async () => pass() };
}

const CHECKS = [check('grpc/unary', ['h2']), check('websocket/echo'), check('hop/te')];

function result(id: Result['id'], outcome: Outcome, given: Partial<Result> = {}): Result {
  return { ...resultWithOutcome(id, outcome), ...given };
}

test('a required check without a verdict on any front side is a gap, with its reason', () => {
  const results = [
    result('grpc/unary', 'not-applicable', { reason: 'the origin receives HTTP/1.1' }),
    result('websocket/echo', 'not-applicable'),
    result('websocket/echo', 'pass', { front: 'http/1.1' }),
    result('hop/te', 'blocked'),
  ];
  expect(requiredGaps(['grpc/*', 'websocket/*'], CHECKS, results, true).map(gapText)).toEqual([
    'required: grpc/unary has no verdict: not-applicable, the origin receives HTTP/1.1',
  ]);
  expect(requiredGaps(['hop/te'], CHECKS, results, true).map(gapText)).toEqual([
    'required: hop/te has no verdict: blocked',
  ]);
  expect(requiredGaps([], CHECKS, results, true)).toEqual([]);
});

test.each<[outcome: Outcome, isGap: boolean]>([
  ['pass', false],
  ['fail', false],
  ['differs', false],
  ['not-applicable', true],
  ['blocked', true],
  ['flaky', true],
  ['error', true],
])('required, with the outcome %s: a gap is %j', (outcome, isGap) => {
  const gaps = requiredGaps(['hop/te'], CHECKS, [result('hop/te', outcome)], true);
  expect(gaps.length > 0).toBe(isGap);
});

test('a required check without a result was not run, for want of its protocol or because the run has ended', () => {
  expect(requiredGaps(['grpc/*'], CHECKS, [], true).map(gapText)).toEqual([
    'required: grpc/unary has no verdict: the target offers no h2',
  ]);
  expect(requiredGaps(['grpc/*'], CHECKS, [], false).map(gapText)).toEqual([
    'required: grpc/unary has no verdict: it was not run',
  ]);
});

const JUDGED = [
  { id: 'grpc/unary', front: 'h2' },
  { id: 'websocket/echo', front: 'h2' },
  { id: 'hop/te', front: 'h2' },
] as const;

test('what had a verdict and has none is lost, unless it was not asked for', () => {
  const results = [
    result('grpc/unary', 'not-applicable', { reason: 'the origin receives HTTP/1.1' }),
    result('websocket/echo', 'not-applicable', { reason: 'not run without --slow' }),
    result('hop/te', 'blocked'),
  ];
  expect(lostGaps(JUDGED, CHECKS, results, true).map(gapText)).toEqual([
    'lost: h2 grpc/unary has no verdict: not-applicable, the origin receives HTTP/1.1',
    'lost: h2 hop/te has no verdict: blocked',
  ]);
  const judged = JUDGED.map(({ id }) => result(id, 'fail'));
  expect(lostGaps(JUDGED, CHECKS, judged, true)).toEqual([]);
});

test('a protocol that is gone is lost; what was not chosen, or not finished, is not', () => {
  const [grpc] = CHECKS;
  if (!grpc) throw new Error('there is no check');
  expect(lostGaps(JUDGED, [grpc], [], true).map(gapText)).toEqual([
    'lost: h2 grpc/unary has no verdict: the target offers no h2',
  ]);
  expect(lostGaps(JUDGED, CHECKS, [], false)).toEqual([]);
});

test('what passed and differs now is changed', () => {
  const results = [
    result('grpc/unary', 'differs', { found: 'another order' }),
    result('websocket/echo', 'pass'),
    result('hop/te', 'differs'),
  ];
  expect(changedGaps(JUDGED.slice(0, 2), CHECKS, results).map(gapText)).toEqual([
    'changed: h2 grpc/unary passed when the baseline was written: differs, another order',
  ]);
});

test('what comes by chance is neither lost nor changed', () => {
  const lost = [result('hop/te', 'not-applicable', { reason: 'another connection' })];
  const changed = [result('hop/te', 'differs')];
  const judged = [{ id: 'hop/te', front: 'h2' }] as const;
  const gapsWith = (...byChance: Outcome[]) => {
    const chosen = [{ ...check('hop/te'), byChance }];
    const gaps = [...lostGaps(judged, chosen, lost, true), ...changedGaps(judged, chosen, changed)];
    return gaps.map(({ kind }) => kind);
  };
  expect(gapsWith()).toEqual(['lost', 'changed']);
  expect(gapsWith('not-applicable')).toEqual(['changed']);
  expect(gapsWith('differs')).toEqual(['lost']);
});

test('blocked checks are gaps if they could be findings', () => {
  const results = [
    result('hop/te', 'blocked', { reason: 'the origin was slow' }),
    result('hop/te', 'blocked', { level: 'info' }),
    result('grpc/unary', 'pass'),
  ];
  expect(blockedGaps(results).map(gapText)).toEqual([
    'blocked: h2 hop/te has no verdict: blocked, the origin was slow',
  ]);
});
