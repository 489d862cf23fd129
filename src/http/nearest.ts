/** Maximum length of a typo. Longer input is not compared. */
const MAX_LENGTH = 64;

/**
 * Suggests a name for a mistyped one: the shortest that begins with it, or else the one with the smallest edit
 * distance, if that is at most a third of the input's length (at least 2).
 *
 * @returns undefined if no name is close enough
 */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  if (typed === '' || typed.length > MAX_LENGTH) return undefined;
  const completions = names.filter((name) => name.startsWith(typed));
  if (completions.length > 0) return completions.reduce((a, b) => (b.length < a.length ? b : a));
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(typed.length / 3)) + 1;
  for (const name of names) {
    const distance = editDistance(typed, name);
    if (distance >= bestDistance) continue;
    best = name;
    bestDistance = distance;
  }
  return best;
}

/** Optimal string alignment distance: insertions, deletions, substitutions and adjacent swaps. */
export function editDistance(from: string, to: string): number {
  let previous: number[] = [];
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
      if (isSwap) distance = Math.min(distance, (previous[j - 2] ?? 0) + 1);
      next.push(distance);
    }
    previous = row;
    row = next;
  }
  return row[to.length] ?? 0;
}
