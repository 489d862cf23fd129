import type { Baseline } from './baseline.ts';
import { FAIL_ON, type Check, type FailOn } from './check.ts';
import { blockedGaps, changedGaps, lostGaps, requiredGaps, type Gap } from './gaps.ts';
import { isKnown, type Known } from './known.ts';
import type { CheckOptions } from './options.ts';
import { findingsOf } from './report/findings.ts';
import type { Result } from './result.ts';

/** A run, as far as it decides what counts. */
interface Run {
  readonly results: readonly Result[];
  readonly chosen: readonly Check[];
  /** Whether the run has ended by itself. */
  readonly isWhole: boolean;
}

/** What counts of a run. */
export interface Counting {
  readonly failOn: readonly FailOn[];
  readonly findings: readonly Result[];
  readonly gaps: readonly Gap[];
  /** What the user should know of the baseline. */
  readonly notes: readonly string[];
}

/**
 * Decides what counts: the findings and gaps of --fail-on and --require, without what the baseline or
 * --accept-known accepts. With --update-baseline, writes it, and nothing of it counts.
 */
export function counting(
  run: Run,
  options: Pick<
    CheckOptions,
    'failOn' | 'strict' | 'require' | 'baseline' | 'acceptKnown' | 'updateBaseline'
  >,
  baseline: Baseline | undefined,
  known: Known | undefined,
): Counting {
  const { results, chosen, isWhole } = run;
  const { strict, require, baseline: path, acceptKnown, updateBaseline } = options;
  const failOn = FAIL_ON.filter(
    (each) => options.failOn.includes(each) || (strict && each === 'should'),
  );
  const all = findingsOf(results, failOn);
  const findings = acceptKnown ? all.filter((finding) => !isKnown(finding, known)) : all;
  const gaps = [
    ...requiredGaps(require, chosen, results, isWhole),
    ...(failOn.includes('blocked') ? blockedGaps(results) : []),
  ];
  if (!baseline || path === undefined) return { failOn, findings, gaps, notes: [] };
  const today = new Date().toISOString().slice(0, 10);
  const { findings: left, notes } = baseline.compare(findings, results, today);
  if (updateBaseline) {
    baseline.write(path, findings, results);
    return { failOn, findings: [], gaps, notes };
  }
  const lost = failOn.includes('lost') ? lostGaps(baseline.judged, chosen, results, isWhole) : [];
  const changed = failOn.includes('changed') ? changedGaps(baseline.passed, chosen, results) : [];
  return { failOn, findings: left, gaps: [...gaps, ...lost, ...changed], notes };
}
