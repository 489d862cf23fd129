/** What is longer is not compared: nobody has mistyped it. */
const LONGEST = 64;

/**
 * The name that a mistyped one may have meant: one that it is the beginning of, else the one with the
 * least edit distance, if that is within a third of its length.
 *
 * @returns undefined where none is near
 */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  if (typed === '' || typed.length > LONGEST) return undefined;
  const longer = names.filter((name) => name.startsWith(typed));
  if (longer.length > 0) return longer.reduce((a, b) => (b.length < a.length ? b : a));
  let best: string | undefined;
  let least = Math.max(2, Math.floor(typed.length / 3)) + 1;
  for (const name of names) {
    const distance = editDistance(typed, name);
    if (distance >= least) continue;
    best = name;
    least = distance;
  }
  return best;
}

/**
 * How many characters are to be inserted, deleted, replaced or swapped with their neighbour to make one
 * text of the other: the optimal string alignment distance.
 */
export function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1];
      let distance = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (same ? 0 : 1),
      );
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (isSwap) distance = Math.min(distance, (before[j - 2] ?? 0) + 1);
      next.push(distance);
    }
    before = row;
    row = next;
  }
  return row[to.length] ?? 0;
}
