/** Deleted values above which a new iterator is worth its search. */
const MIN_DELETED = 1000;

/**
 * A map in the order in which its values were set, the oldest first. It finds the oldest at once, where
 * an iterator of a Map would step over all that have been deleted before it.
 */
export class AgingMap<T> {
  readonly #map = new Map<string, T>();
  /** Has passed deleted values only, and perhaps the oldest if that is known. */
  #iterator = this.#map.entries();
  /** Deleted values that the iterator keeps in memory. */
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
    // An iterator that stays where it is keeps all that the map has had since.
    if (++this.#deleted <= MIN_DELETED + this.#map.size) return;
    this.#iterator = this.#map.entries();
    this.#deleted = 0;
  }

  values(): MapIterator<T> {
    return this.#map.values();
  }
}
