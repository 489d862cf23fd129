import { isVerdict, type GapKind, type Standing } from '../check.ts';
import type { Counting } from '../counting.ts';
import { levelsOf } from './findings.ts';
import { meansOf } from '../front.ts';
import type { Result } from '../result.ts';
import { counted } from '../words.ts';

/** The result of a run in a line: how it stands, and what of. */
export interface Banner {
  readonly standing: Standing;
  /** Such as `FAIL: 3 must findings`. */
  readonly text: string;
}

/** What a run is judged by. */
interface Judged extends Omit<Counting, 'notes'> {
  readonly results: readonly Result[];
  readonly isInterrupted: boolean;
  readonly stopped?: string | undefined;
}

export function bannerOf(report: Judged): Banner {
  const standing = standingOf(report);
  const parts = [...countsOf(report), ...unjudgedOf(report.results)];
  return { standing, text: `${standing.toUpperCase()}: ${parts.join(', ')}` };
}

function standingOf({ results, findings, gaps, isInterrupted, stopped }: Judged): Standing {
  if (isInterrupted) return 'interrupted';
  if (stopped !== undefined) return 'stopped';
  if (findings.length + gaps.length > 0) return 'fail';
  return unjudgedOf(results).length > 0 ? 'incomplete' : 'pass';
}

const GAP_WORDS: Readonly<Record<GapKind, string>> = {
  lost: 'lost since the baseline',
  changed: 'changed since the baseline',
  required: 'required without a verdict',
  blocked: 'blocked',
};

/** What counts: findings by level, and gaps by kind; of levels without a finding, that there is none. */
function countsOf({ findings, gaps, failOn }: Judged): string[] {
  const levels = levelsOf(failOn);
  const byLevel = levels.flatMap((level) => {
    const count = checksIn(findings.filter((finding) => finding.level === level));
    return count === 0 ? [] : [counted(count, `${level} finding`)];
  });
  const unsteady = checksIn(findings.filter(({ level }) => !levels.some((each) => each === level)));
  const gapCounts = Object.entries(GAP_WORDS).flatMap(([kind, words]) => {
    const count = checksIn(gaps.filter((gap) => gap.kind === kind));
    return count === 0 ? [] : [`${counted(count, 'check')} ${words}`];
  });
  return [
    ...(byLevel.length > 0
      ? byLevel
      : [`no finding${levels.length > 0 ? ` of level ${levels.join(' or ')}` : ''}`]),
    ...(unsteady > 0 ? [`${unsteady} flaky`] : []),
    ...gapCounts,
  ];
}

/** The checks of the level `must` that should have been judged and were not; none if there are none. */
function unjudgedOf(results: readonly Result[]): string[] {
  const judged = new Set(results.filter(({ outcome }) => isVerdict(outcome)).map(({ id }) => id));
  const count = checksIn(
    results.filter(
      ({ id, level, outcome, reason }) =>
        level === 'must' &&
        !judged.has(id) &&
        (outcome === 'blocked' || outcome === 'error' || meansOf(reason)?.isExpected === true),
    ),
  );
  return count === 0 ? [] : [`${counted(count, 'must check')} not judged`];
}

/** The number of checks in results of one or both front sides. */
export function checksIn(all: readonly { readonly id: string }[]): number {
  return new Set(all.map(({ id }) => id)).size;
}
