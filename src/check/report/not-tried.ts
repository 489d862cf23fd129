import { meansOf } from '../front.ts';
import type { Result } from '../result.ts';

/** What was not tried for want of something that a run can be given. */
export interface NotTried {
  /** What brings it, such as `wirebin --allow-raw`. */
  readonly means: string;
  readonly results: number;
  /** How many of them are of the level `must`. */
  readonly must: number;
}

/** What was not tried, by what would bring it; the most important first. */
export function notTried(results: readonly Result[]): NotTried[] {
  const counts = new Map<string, { results: number; must: number }>();
  for (const { reason, level, outcome } of results) {
    const means = outcome === 'not-applicable' ? meansOf(reason) : undefined;
    if (!means) continue;
    const key = means.of === 'origin' ? `wirebin ${means.flags} at the origin` : means.flags;
    const count = counts.get(key) ?? { results: 0, must: 0 };
    count.results++;
    if (level === 'must') count.must++;
    counts.set(key, count);
  }
  return Array.from(counts, ([means, count]) => ({ means, ...count })).toSorted(
    (one, other) => other.must - one.must || other.results - one.results,
  );
}

/** The line of a report; undefined if all was tried. */
export function notTriedLine(results: readonly Result[]): string | undefined {
  const parts = notTried(results).map(({ means, results: count, must }) => {
    const ofMust = must === 0 ? '' : ` (${must} must)`;
    return `${count}${ofMust} without ${means}`;
  });
  return parts.length === 0 ? undefined : `Not tried: ${parts.join('; ')}`;
}
