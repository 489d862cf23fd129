import { isVerdict } from '../../src/check/check.ts';
import { storedReport, type StoredReport } from '../../src/check/report/stored.ts';
import { resultKey } from '../../src/check/front.ts';
import { parseObject } from '../../src/check/origin.ts';

/** How often checks are run again that have no verdict for a reason other than the proxy. */
const ATTEMPTS = 4;

/** Part of the reason of a check that was blocked by a busy machine. */
const SLOW = /\bthe origin was slow or restarted\b|\btoo busy to be timed\b/;

/**
 * Runs checks, and those again that a busy machine has blocked.
 *
 * @param check runs checks, of which `only` has the ids; without it, all
 * @returns the JSON report, with the last result of each check
 * @throws Error if some are still blocked
 */
export async function undisturbed(
  check: (only?: readonly string[]) => Promise<string>,
): Promise<string> {
  let report = await check();
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const ids = disturbed(report);
    if (ids.length === 0) return report;
    report = withResults(report, await check(ids));
  }
  const ids = disturbed(report);
  if (ids.length === 0) return report;
  throw new Error(`the machine is too busy to judge ${ids.join(', ')}`);
}

/** The checks that were blocked because the origin answered late, and those that depend on one of them. */
function disturbed(report: string): string[] {
  const unjudged = results(report).filter(({ outcome }) => !isVerdict(outcome));
  const ids = new Set<string>();
  // Repeated until the set stops growing: a check may depend on a new element.
  for (let size = -1; size < ids.size;) {
    size = ids.size;
    for (const { id, reason = '' } of unjudged) {
      const [, before = ''] = /^(\S+) has the outcome \w+$/.exec(reason) ?? [];
      if (SLOW.test(reason) || ids.has(before)) ids.add(id);
    }
  }
  return [...ids];
}

/** The report with its results replaced by those of another one for the same checks. */
function withResults(report: string, other: string): string {
  const later = new Map(results(other).map((result) => [resultKey(result), result]));
  const checks = results(report).map((result) => later.get(resultKey(result)) ?? result);
  return JSON.stringify({ ...parseObject(report), checks });
}

function results(report: string): StoredReport {
  return storedReport(report, 'report.json');
}
