import type { Transfer } from './message.ts';

/** The judgement of a check. */
export type Verdict =
  | { readonly outcome: 'pass'; readonly found?: string }
  | Finding
  | { readonly outcome: 'differs'; readonly found: string; readonly evidence?: readonly Transfer[] }
  | { readonly outcome: 'not-applicable'; readonly reason: string };

/** A rule that is broken. */
export interface Finding {
  readonly outcome: 'fail';
  readonly expected: string;
  readonly found: string;
  readonly evidence: readonly Transfer[];
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
): Verdict => ({
  outcome: 'fail',
  expected,
  found,
  evidence,
});

/** The verdict where there is no rule to break: on a fact, or on what a profile tolerates. */
export function asFact(verdict: Verdict): Verdict {
  return verdict.outcome === 'fail' ? differs(verdict.found, ...verdict.evidence) : verdict;
}

/** Fails unless what was found is what the rule asks for. */
export function expectSame(
  expected: string,
  found: string,
  ...evidence: readonly Transfer[]
): Verdict {
  return expected === found ? pass(found) : fail(expected, found, ...evidence);
}
