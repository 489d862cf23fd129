/** Something that is chosen more often than others of a lower weight. Default: 1. */
interface Weighted {
  readonly weight?: number | undefined;
}

/**
 * Chooses one of several, over and over: each as often as its weight, and evenly spread (smooth weighted round-robin,
 * as in nginx).
 */
export class Turns<T extends Weighted> {
  readonly #first: T;
  readonly #all: readonly { readonly item: T; readonly weight: number; credit: number }[];
  readonly #total: number;

  constructor([first, ...others]: readonly [T, ...T[]]) {
    this.#first = first;
    this.#all = [first, ...others].map((item) => ({ item, weight: item.weight ?? 1, credit: 0 }));
    this.#total = this.#all.reduce((sum, { weight }) => sum + weight, 0);
  }

  next(): T {
    const [best, ...others] = this.#all;
    if (!best || others.length === 0) return this.#first;
    let chosen = best;
    for (const each of this.#all) {
      each.credit += each.weight;
      if (each.credit > chosen.credit) chosen = each;
    }
    chosen.credit -= this.#total;
    return chosen.item;
  }
}
