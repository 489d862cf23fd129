/** Integers from `start` to before `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A set of integers, such as offsets or packet numbers, kept as ascending ranges that neither overlap nor touch. */
export class RangeSet {
  readonly #ranges: Range[] = [];

  /** Number of ranges. */
  get length(): number {
    return this.#ranges.length;
  }

  get isEmpty(): boolean {
    return this.#ranges.length === 0;
  }

  /** The lowest range. */
  get first(): Range | undefined {
    return this.#ranges[0];
  }

  has(value: number): boolean {
    return this.rangeOf(value) !== undefined;
  }

  /** The range that a value is in. */
  rangeOf(value: number): Range | undefined {
    const range = this.#ranges[this.#firstBeyond(value)];
    return range && range.start <= value ? range : undefined;
  }

  /** The highest range. */
  get last(): Range | undefined {
    return this.#ranges.at(-1);
  }

  /** The range at an index, in ascending order. */
  at(index: number): Range | undefined {
    return this.#ranges[index];
  }

  /** The ranges that have a part between two integers, as of now. */
  within(start: number, end: number): readonly Range[] {
    const from = this.#firstBeyond(start);
    let to = from;
    for (let range = this.#ranges[to]; range && range.start < end; range = this.#ranges[++to]);
    return this.#ranges.slice(from, to);
  }

  /** Adds the integers from `start` to before `end`. */
  add(start: number, end: number): void {
    if (start >= end) return;
    const last = this.#ranges.length - 1;
    if (this.#ranges[last]?.end === start) {
      // The usual order.
      this.#ranges[last] = { start: this.#ranges[last].start, end };
      return;
    }
    // Ranges that touch it become a part of it.
    const joined = this.within(start - 1, end + 1);
    const range = {
      start: Math.min(start, joined[0]?.start ?? start),
      end: Math.max(end, joined.at(-1)?.end ?? end),
    };
    this.#ranges.splice(this.#firstBeyond(start - 1), joined.length, range);
  }

  /** Removes the integers from `start` to before `end`. */
  remove(start: number, end: number): void {
    if (start >= end) return;
    const cut = this.within(start, end);
    const first = cut[0];
    const last = cut.at(-1);
    if (!first || !last) return;
    const rest: Range[] = [];
    if (first.start < start) rest.push({ start: first.start, end: start });
    if (last.end > end) rest.push({ start: end, end: last.end });
    this.#ranges.splice(this.#firstBeyond(start), cut.length, ...rest);
  }

  clear(): void {
    this.#ranges.length = 0;
  }

  /** The index of the first range that ends after a value. */
  #firstBeyond(value: number): number {
    const ranges = this.#ranges;
    let low = 0;
    let high = ranges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ranges[middle]?.end ?? 0) > value) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
