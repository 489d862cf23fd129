/** Bytes that each connection may always keep: its newest request. */
const MINIMUM = 4096;

/** The memory that inspected connections may take together. */
export class InspectMemory {
  readonly #total: number;
  readonly #perConnection: number;
  readonly #onFull: () => void;
  #used = 0;

  /**
   * @param total in bytes
   * @param perConnection in bytes
   * @param onFull releases what can be, when more than the total is used
   */
  constructor(total: number, perConnection: number, onFull: () => void) {
    this.#total = total;
    this.#perConnection = perConnection;
    this.#onFull = onFull;
  }

  /** Bytes that a connection may take now. */
  get limit(): number {
    return this.isFull ? MINIMUM : this.#perConnection;
  }

  get isFull(): boolean {
    return this.#used > this.#total;
  }

  get used(): number {
    return this.#used;
  }

  /** @param bytes negative if memory was released */
  changed(bytes: number): void {
    this.#used += bytes;
    if (bytes > 0 && this.isFull) this.#onFull();
  }
}
