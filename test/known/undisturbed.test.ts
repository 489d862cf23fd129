import { expect, test } from 'vitest';
import { undisturbed } from './_undisturbed.ts';
import { verdictsOf } from './_records.ts';

const SLOW = 'the origin was slow or restarted during each of 3 attempts';
const UNTIMED = 'too busy to be timed: other responses took 2 to 640 ms';

/** A report with a result for each check: its outcome, and the reason. */
function reportOf(outcomes: Readonly<Record<string, readonly [string, string?]>>): string {
  const checks = Object.entries(outcomes).map(([id, [outcome, reason = '']]) => ({
    id,
    front: 'h2',
    level: 'must',
    risk: 'security',
    section: 'RFC 9110',
    rule: 'A rule.',
    outcome,
    reason,
    evidence: [],
    duration_ms: 1,
  }));
  return JSON.stringify({ format: 1, checks });
}

/** Returns one report after the other, and records which checks were run. */
function answering(...reports: readonly string[]) {
  const asked: (readonly string[] | undefined)[] = [];
  const check = (only?: readonly string[]): Promise<string> => {
    asked.push(only);
    return Promise.resolve(reports[Math.min(asked.length, reports.length) - 1] ?? '');
  };
  return { asked, check };
}

test('checks that a busy machine has blocked are run again, with those that depend on them', async () => {
  const first = reportOf({
    'hop/te': ['pass'],
    'hop/via': ['flaky', `fail, then blocked (${SLOW})`],
    'idle/closed': ['blocked', 'hop/via has the outcome flaky'],
    'trailer/error': ['blocked', 'trailer/response has the outcome fail'],
    'trailer/several': ['blocked', 'trailer/error has the outcome blocked'],
  });
  const { asked, check } = answering(
    first,
    reportOf({ 'hop/via': ['blocked', UNTIMED], 'idle/closed': ['pass'] }),
    reportOf({ 'hop/via': ['differs'] }),
  );
  expect(Object.fromEntries(verdictsOf(await undisturbed(check)))).toEqual({
    'h2 hop/te': 'pass',
    'h2 hop/via': 'differs',
    'h2 idle/closed': 'pass',
    'h2 trailer/error': 'blocked',
    'h2 trailer/several': 'blocked',
  });
  expect(asked).toEqual([undefined, ['hop/via', 'idle/closed'], ['hop/via']]);
});

test('checks that stay blocked are an error', async () => {
  const { check } = answering(reportOf({ 'hop/via': ['blocked', SLOW] }));
  await expect(undisturbed(check)).rejects.toThrow('the machine is too busy to judge hop/via');
});
