import type { Transfer } from './message.ts';

/** The judgement of a check. */
export type Verdict =
  | { readonly outcome: 'pass'; readonly found?: string }
  | Finding
  | { readonly outcome: 'differs'; readonly found: string; readonly evidence?: readonly Transfer[] }
  | { readonly outcome: 'not-applicable'; readonly reason: string };

/** The verdict on a broken rule. */
export interface Finding {
  readonly outcome: 'fail';
  readonly expected: string;
  readonly found: string;
  readonly evidence: readonly Transfer[];
  /** How often it was seen. Not in `found`, by which two runs have the same finding. */
  readonly reason?: string;
  /** Whether the origin's journal or the bytes show what the rule forbids, whatever the transfers look like. */
  readonly isProven?: boolean;
}

export const pass = (found?: string): Verdict => ({
  outcome: 'pass',
  ...(found !== undefined && { found }),
});

export const notApplicable = (reason: string): Verdict => ({ outcome: 'not-applicable', reason });

export const differs = (found: string, ...evidence: readonly Transfer[]): Verdict => ({
  outcome: 'differs',
  found,
  evidence,
});

export const fail = (
  expected: string,
  found: string,
  ...evidence: readonly Transfer[]
): Finding => ({
  outcome: 'fail',
  expected,
  found,
  evidence,
});

/** As `fail()`, of what has been seen to happen: it stands, even if it does not happen again. */
export const failProven = (...of: Parameters<typeof fail>): Finding => ({
  ...fail(...of),
  isProven: true,
});

/** Turns `fail` into `differs`: for facts, and for what a profile tolerates. */
export function asFact(verdict: Verdict): Verdict {
  return verdict.outcome === 'fail' ? differs(verdict.found, ...verdict.evidence) : verdict;
}

/** Adds to what was found that the target has ended a connection because of what it calls excessive load. */
export function calmed(verdict: Verdict): Verdict {
  const isFound = verdict.outcome === 'fail' || verdict.outcome === 'differs';
  return isFound
    ? { ...verdict, found: `${verdict.found}, after GOAWAY with ENHANCE_YOUR_CALM` }
    : verdict;
}

/** Passes if what was found is what was expected, else fails. */
export function expectSame(
  expected: string,
  found: string,
  ...evidence: readonly Transfer[]
): Verdict {
  return expected === found ? pass(found) : fail(expected, found, ...evidence);
}
