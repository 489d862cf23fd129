/** Number of deletions after which the iterator is replaced, because it retains deleted values. */
const MIN_DELETED = 1000;

/**
 * A map in order of setting, which finds its oldest value in constant time. A new Map iterator would step over all
 * values deleted before it.
 */
export class AgingMap<T> {
  readonly #map = new Map<string, T>();
  /** The iterator has passed only deleted values, and perhaps the oldest one if `#oldest` is set. */
  #iterator = this.#map.entries();
  /** Values deleted since the iterator was made, which it retains in memory. */
  #deleted = 0;
  #oldest: [key: string, value: T] | undefined;

  get size(): number {
    return this.#map.size;
  }

  get oldest(): T | undefined {
    if (this.#map.size === 0) return undefined;
    if (!this.#oldest) {
      let next = this.#iterator.next();
      if (next.done) {
        this.#iterator = this.#map.entries();
        next = this.#iterator.next();
      }
      this.#oldest = next.value;
    }
    return this.#oldest?.[1];
  }

  get(key: string): T | undefined {
    return this.#map.get(key);
  }

  /** Sets the value, which becomes the newest. */
  set(key: string, value: T): void {
    this.delete(key);
    this.#map.set(key, value);
  }

  delete(key: string): void {
    if (this.#oldest?.[0] === key) this.#oldest = undefined;
    if (!this.#map.delete(key)) return;
    // V8's iterator retains all values deleted since it was made, so it is replaced after many.
    if (++this.#deleted <= MIN_DELETED + this.#map.size) return;
    this.#iterator = this.#map.entries();
    this.#deleted = 0;
  }

  values(): MapIterator<T> {
    return this.#map.values();
  }
}
