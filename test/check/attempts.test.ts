import { expect, test } from 'vitest';
import { hasFailed, isProof, resultOfAttempts } from '../../src/check/attempts.ts';
import type { Outcome } from '../../src/check/check.ts';
import type { Transfer } from '../../src/check/message.ts';
import type { Result } from '../../src/check/result.ts';
import { fail, failProven } from '../../src/check/verdict.ts';
import { resultWithOutcome } from './_results.ts';

/** Milliseconds that an attempt has waited at least. */
const WAITED = 500;

function transfer(status: number | undefined, given: Partial<Transfer> = {}): Transfer {
  const response = {
    version: 'HTTP/1.1',
    status: status ?? 0,
    reason: '',
    fields: [],
    content: Buffer.alloc(0),
    trailers: [],
  };
  return {
    sent: '',
    received: '',
    interim: [],
    response: status === undefined ? undefined : response,
    ending: 'complete',
    firstByte: 1,
    duration: 1,
    isReusable: true,
    ...given,
  };
}

test.each<[string, boolean, Parameters<typeof fail>[2][]]>([
  ['a whole response', true, [transfer(200)]],
  ['two whole responses', true, [transfer(200), transfer(404)]],
  ['a response that is cut off', false, [transfer(200, { ending: 'closed' })]],
  ['no response', false, [transfer(undefined, { ending: 'timeout' })]],
  ['a response that is missing beside one', false, [transfer(200), transfer(undefined)]],
  ['an error of the target, which the origin may have caused', false, [transfer(502)]],
  ['a target that is busy', false, [transfer(429)]],
  ['nothing', false, []],
])('%s is proof: %j', (_, isExpected, evidence) => {
  expect(isProof({}, fail('a', 'b', ...evidence), 10, WAITED)).toBe(isExpected);
});

test('what a check says that it has seen is proof; what needs time is none', () => {
  expect(isProof({}, failProven('1 attempt', '2 attempts', transfer(502)), 10, WAITED)).toBe(true);
  expect(isProof({}, fail('a', 'b', transfer(200)), WAITED, WAITED)).toBe(false);
  expect(isProof({ phase: 'timed' }, fail('a', 'b', transfer(200)), 10, WAITED)).toBe(false);
  expect(isProof({ phase: 'alone' }, fail('a', 'b', transfer(200)), 10, WAITED)).toBe(true);
});

const attempt = (outcome: Outcome, isProven = false): Result => ({
  ...resultWithOutcome('hop/te', outcome),
  isProven,
});

test('one proof is a finding, whatever the other attempts find', () => {
  expect(resultOfAttempts([attempt('fail', true), attempt('blocked')])).toMatchObject({
    outcome: 'fail',
    found: 'another\r\nthing',
    reason: 'seen in 1 of 2 runs, otherwise blocked',
    evidence: [{}],
  });
  const often = [attempt('pass'), attempt('fail', true), attempt('fail', true), attempt('pass')];
  expect(resultOfAttempts([attempt('pass'), ...often])).toMatchObject({
    outcome: 'fail',
    reason: 'seen in 2 of 5 runs, otherwise pass',
  });
});

test('a proof that says how often it was seen still does beside another attempt', () => {
  const counted = { ...attempt('fail', true), reason: 'seen in 3 of 20 requests' };
  expect(resultOfAttempts([counted, attempt('pass')])).toMatchObject({
    outcome: 'fail',
    reason: 'seen in 3 of 20 requests; seen in 1 of 2 runs, otherwise pass',
  });
});

test('attempts that agree are one result, and others are flaky', () => {
  expect(resultOfAttempts([attempt('fail'), attempt('fail')])).toEqual(attempt('fail'));
  expect(resultOfAttempts([attempt('fail', true), attempt('fail', true)]).reason).toBeUndefined();
  const unsteady = resultOfAttempts([attempt('pass'), attempt('fail')]);
  expect(unsteady).toMatchObject({ outcome: 'flaky', reason: 'pass, then fail' });
  expect(unsteady).toMatchObject({ expected: 'one | thing', evidence: [{}] });
  expect(hasFailed(unsteady)).toBe(true);
  const other = resultOfAttempts([attempt('pass'), attempt('not-applicable')]);
  expect(other).toMatchObject({ outcome: 'flaky', reason: 'pass, then not-applicable' });
  expect(hasFailed(other)).toBe(false);
});
