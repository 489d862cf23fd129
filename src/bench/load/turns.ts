/** Something that is chosen more often than others of a lower weight. Default: 1. */
interface Weighted {
  readonly weight?: number | undefined;
}

/**
 * The order in which they are chosen, over and over: each as often as its weight, and evenly spread (smooth weighted
 * round-robin, as in nginx).
 *
 * @param all with weights that are whole numbers
 */
export function turnsOf<T extends Weighted>(all: readonly T[]): T[] {
  const total = all.reduce((sum, { weight = 1 }) => sum + weight, 0);
  const credits = all.map(() => 0);
  return Array.from({ length: total }, () => {
    all.forEach(({ weight = 1 }, at) => (credits[at] = (credits[at] ?? 0) + weight));
    const best = credits.indexOf(Math.max(...credits));
    credits[best] = (credits[best] ?? 0) - total;
    return all.slice(best, best + 1);
  }).flat();
}
