import { isVerdict, type Check, type GapKind } from './check.ts';
import { isNotAsked, resultKey, type FrontName } from './front.ts';
import { matchesAny } from './glob.ts';
import type { Result } from './result.ts';

/** A check that counts like a finding: it has no verdict, or differs now. */
export interface Gap {
  readonly kind: GapKind;
  readonly id: Check['id'];
  /** The front side; undefined for a check that has a verdict on none. */
  readonly front: FrontName | undefined;
  readonly reason: string;
}

/** A gap as reports name it. */
export function gapText({ kind, id, front, reason }: Gap): string {
  const where = front === undefined ? id : resultKey({ front, id });
  return kind === 'changed'
    ? `changed: ${where} passed when the baseline was written: ${reason}`
    : `${kind}: ${where} has no verdict: ${reason}`;
}

/**
 * The checks that must be judged and have no verdict on any front side.
 *
 * @param globs of --require
 * @param isWhole whether the run has ended by itself
 */
export function requiredGaps(
  globs: readonly string[],
  chosen: readonly Check[],
  results: readonly Result[],
  isWhole: boolean,
): Gap[] {
  return chosen
    .filter(({ id }) => matchesAny(id, globs))
    .flatMap(({ id, fronts }) => {
      const own = results.filter((result) => result.id === id);
      if (own.some(({ outcome }) => isVerdict(outcome))) return [];
      const [first] = own;
      const notRun = isWhole ? `the target offers no ${fronts?.join(' or ')}` : 'it was not run';
      const reason = first ? wordsOf(first) : notRun;
      return [{ kind: 'required', id, front: undefined, reason } as const];
    });
}

/**
 * The checks that had a verdict when the baseline was written, and are not applicable or blocked now.
 *
 * @param judged front side and id of those with a verdict
 * @param isWhole whether the run has ended by itself: otherwise what has no result may still have one
 */
export function lostGaps(
  judged: readonly Pick<Result, 'id' | 'front'>[],
  chosen: readonly Check[],
  results: readonly Result[],
  isWhole: boolean,
): Gap[] {
  const now = new Map(results.map((result) => [resultKey(result), result]));
  const checks = byId(chosen);
  return judged.flatMap(({ id, front }) => {
    const result = now.get(resultKey({ id, front }));
    const check = checks.get(id);
    if (!check || (!result && !isWhole)) return [];
    if (!result) return [{ kind: 'lost', id, front, reason: `the target offers no ${front}` }];
    const isLost = result.outcome === 'not-applicable' || result.outcome === 'blocked';
    if (!isLost || isNotAsked(result.reason) || comesByChance(check, result)) return [];
    return [{ kind: 'lost', id, front, reason: wordsOf(result) } as const];
  });
}

const byId = (chosen: readonly Check[]): ReadonlyMap<string, Check> =>
  new Map(chosen.map((check) => [check.id, check]));

const comesByChance = (check: Check | undefined, { outcome }: Result): boolean =>
  check?.byChance?.includes(outcome) === true;

/** The checks that passed when the baseline was written, and differ now. @param passed their front sides and ids */
export function changedGaps(
  passed: readonly Pick<Result, 'id' | 'front'>[],
  chosen: readonly Check[],
  results: readonly Result[],
): Gap[] {
  const keys = new Set(passed.map(resultKey));
  const checks = byId(chosen);
  return results
    .filter((result) => result.outcome === 'differs' && keys.has(resultKey(result)))
    .filter((result) => !comesByChance(checks.get(result.id), result))
    .map(({ id, front, found }) => ({ kind: 'changed', id, front, reason: `differs, ${found}` }));
}

/** The checks that are blocked, without those that are only facts. */
export function blockedGaps(results: readonly Result[]): Gap[] {
  return results
    .filter(({ outcome, level }) => outcome === 'blocked' && level !== 'info')
    .map((result) => {
      const { id, front } = result;
      return { kind: 'blocked', id, front, reason: wordsOf(result) };
    });
}

function wordsOf({ outcome, reason }: Result): string {
  return reason === undefined ? outcome : `${outcome}, ${reason}`;
}
