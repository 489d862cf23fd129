import type { Check } from './check.ts';
import type { Transfer } from './message.ts';
import { isFromOrigin } from './origin.ts';
import type { Result } from './result.ts';
import type { Finding } from './verdict.ts';

/** Statuses with which a target refuses what it would forward at another time, beside 5xx. */
const BUSY: ReadonlySet<number> = new Set([408, 429]);

/**
 * Whether a finding stands, even if the check passes when it is run again: what the rule forbids was seen. Not so a
 * judgement by time, or by something that did not come: that may be the fault of a busy machine.
 *
 * @param duration of the attempt, in milliseconds
 * @param waited how long an attempt takes at least that has waited in vain, in milliseconds
 */
export function isProof(
  { phase }: Pick<Check, 'phase'>,
  { isProven = false, evidence }: Finding,
  duration: number,
  waited: number,
): boolean {
  if (isProven) return true;
  return phase !== 'timed' && duration < waited && evidence.length > 0 && evidence.every(isWhole);
}

/** Whether a response has come whole, and shows what the target does with responses of the origin. */
function isWhole(transfer: Transfer): boolean {
  const { response, ending } = transfer;
  if (!response || ending !== 'complete') return false;
  return isFromOrigin(transfer) || (response.status < 500 && !BUSY.has(response.status));
}

/**
 * The result of a check that was run several times. A finding that is proven by one attempt is one, whatever the others
 * are; if only some attempts find anything else, the check is flaky.
 */
export function resultOfAttempts(attempts: readonly [Result, ...Result[]]): Result {
  const [first, ...others] = attempts;
  const other = others.find(({ outcome }) => outcome !== first.outcome);
  if (!other) return first;
  const proof = attempts.find(({ isProven }) => isProven);
  const failed = attempts.filter(({ outcome }) => outcome === 'fail');
  if (proof) {
    const rest = first.outcome === 'fail' ? other : first;
    const runs = `seen in ${failed.length} of ${attempts.length} runs, otherwise ${inWords(rest)}`;
    return { ...proof, reason: [proof.reason, runs].filter(Boolean).join('; ') };
  }
  const { expected, found } = failed[0] ?? first;
  return {
    ...first,
    outcome: 'flaky',
    expected,
    found,
    reason: `${inWords(first)}, then ${inWords(other)}`,
    evidence: [...first.evidence, ...other.evidence],
  };
}

/** Whether a check has failed, be it in some of its attempts only. */
export function hasFailed({ outcome, expected }: Pick<Result, 'outcome' | 'expected'>): boolean {
  return outcome === 'fail' || (outcome === 'flaky' && expected !== undefined);
}

function inWords({ outcome, reason }: Result): string {
  return reason === undefined ? outcome : `${outcome} (${reason})`;
}
