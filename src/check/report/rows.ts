/** A result, as far as it is shown in a row. */
interface Shown {
  readonly id: string;
  readonly front: string;
  readonly outcome: string;
  readonly expected?: string | undefined;
  readonly found?: string | undefined;
  readonly reason?: string | undefined;
}

/** Results of one check with the same verdict, one for each front side. */
export type Row<Result> = readonly [Result, ...Result[]];

/**
 * Results of the same check and verdict as one row. The first decides the order. How often a finding was seen is not part
 * of the verdict.
 */
export function rowsOf<Result extends Shown>(results: readonly Result[]): Row<Result>[] {
  const rows = new Map<string, Row<Result>>();
  for (const result of results) {
    const { id, outcome, expected, found, reason } = result;
    const verdict = [id, outcome, expected, found, outcome === 'fail' ? null : reason];
    const key = JSON.stringify(verdict);
    rows.set(key, [...(rows.get(key) ?? []), result] as const);
  }
  return [...rows.values()];
}

/** The result that stands for a row: the first one. Reasons that differ name their front side. */
export function resultOfRow<Result extends Shown>(row: Row<Result>): Result {
  const [first] = row;
  if (row.every(({ reason }) => reason === first.reason)) return first;
  const reasons = row.flatMap(({ reason, front }) => (reason ? [`${reason} on ${front}`] : []));
  return { ...first, reason: reasons.join(', ') };
}
