import { hasFailed } from '../attempts.ts';
import { FINDING_LEVELS, type FailOn, type FindingLevel, type Level } from '../check.ts';
import { isKnown, type Known } from '../known.ts';
import type { Result } from '../result.ts';
import { byImportance } from './importance.ts';

/** The levels of which findings count. */
export function levelsOf(failOn: readonly FailOn[]): FindingLevel[] {
  return FINDING_LEVELS.filter((level) => failOn.includes(level));
}

/**
 * The results that count as findings, the most important first: of the levels in --fail-on, checks that have failed, be
 * it in some of their runs only; with `flaky` all others whose runs disagree, too.
 */
export function findingsOf(results: readonly Result[], failOn: readonly FailOn[]): Result[] {
  const levels: readonly Level[] = levelsOf(failOn);
  const isFlaky = ({ outcome, level }: Result): boolean =>
    outcome === 'flaky' && level !== 'info' && failOn.includes('flaky');
  return byImportance(
    results.filter(
      (result) => (hasFailed(result) && levels.includes(result.level)) || isFlaky(result),
    ),
  );
}

/** Sorts findings that are not recorded of the product before those that are. */
export function ownFirst(findings: readonly Result[], known: Known | undefined): Result[] {
  return findings.toSorted(
    (one, other) => Number(isKnown(one, known)) - Number(isKnown(other, known)),
  );
}
