import type { TapRecord } from './record.ts';

/**
 * Ring buffer of the last records, numbered from 1. Adding a record costs two assignments. Readers poll, so that
 * nothing is formatted or sent meanwhile.
 */
export class TapRing {
  readonly #records: (TapRecord | undefined)[];
  /** Callbacks that wake readers which have read everything. */
  readonly #waiting = new Set<() => void>();
  #next = 1;
  #ended = false;

  /** @param size number of records to keep */
  constructor(size: number) {
    this.#records = Array.from({ length: size }, () => undefined);
  }

  /** Number of the next record. */
  get next(): number {
    return this.#next;
  }

  /** Number of the oldest record in the ring. */
  get oldest(): number {
    return Math.max(1, this.#next - this.#records.length);
  }

  /** Whether the streams of all readers should end. */
  get ended(): boolean {
    return this.#ended;
  }

  add(record: TapRecord): void {
    this.#records[this.#next++ % this.#records.length] = record;
    if (this.#waiting.size > 0) this.#wake();
  }

  /** @returns undefined if the record has been overwritten or does not exist yet */
  at(number: number): TapRecord | undefined {
    const isKept = number >= this.oldest && number < this.#next;
    return isKept ? this.#records[number % this.#records.length] : undefined;
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  resume(): void {
    this.#ended = false;
  }

  /**
   * Resolves when a record is added, the ring ends, the timeout expires or the signal is aborted.
   *
   * @param timeout in milliseconds
   */
  waitForMore(timeout: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', settle);
        this.#waiting.delete(settle);
        resolve();
      };
      const timer = setTimeout(settle, timeout);
      signal.addEventListener('abort', settle);
      this.#waiting.add(settle);
    });
  }

  #wake(): void {
    for (const settle of this.#waiting) settle();
  }
}
