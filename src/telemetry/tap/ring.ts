import type { TapRecord } from './record.ts';

/**
 * The last records, by number from 1. Adding one is two stores; nothing is formatted, and nobody is asked to
 * take it. Readers come by in their own time and find what is still there.
 */
export class TapRing {
  readonly #records: (TapRecord | undefined)[];
  /** Readers that have read all there was. */
  readonly #waiting = new Set<() => void>();
  #next = 1;
  #ended = false;

  /** @param size how many records are kept */
  constructor(size: number) {
    this.#records = Array.from({ length: size }, () => undefined);
  }

  /** The number of the next record. */
  get next(): number {
    return this.#next;
  }

  /** The number of the oldest record that is kept. */
  get oldest(): number {
    return Math.max(1, this.#next - this.#records.length);
  }

  /** Whether readers are to be sent home. */
  get ended(): boolean {
    return this.#ended;
  }

  add(record: TapRecord): void {
    this.#records[this.#next++ % this.#records.length] = record;
    if (this.#waiting.size > 0) this.#wake();
  }

  /** undefined where it is no longer kept, or not there yet. */
  at(number: number): TapRecord | undefined {
    const kept = number >= this.oldest && number < this.#next;
    return kept ? this.#records[number % this.#records.length] : undefined;
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /**
   * Waits until there is another record, or the end.
   *
   * @param patience in milliseconds: no longer than that
   * @param signal lets go of everything
   */
  waitForMore(patience: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', settle);
        this.#waiting.delete(settle);
        resolve();
      };
      const timer = setTimeout(settle, patience);
      signal.addEventListener('abort', settle);
      this.#waiting.add(settle);
    });
  }

  #wake(): void {
    for (const settle of this.#waiting) settle();
  }
}
