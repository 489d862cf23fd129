/** Bytes that each connection may always keep: its newest request. */
const MINIMUM = 8192;

/** The memory that inspected connections may take together. That of closed ones can be released. */
export class InspectMemory {
  readonly #total: number;
  readonly #perConnection: number;
  readonly #onFull: () => void;
  #open = 0;
  #closed = 0;

  /**
   * @param total in bytes
   * @param perConnection in bytes
   * @param onFull releases memory of closed connections, when more than the total is used
   */
  constructor(total: number, perConnection: number, onFull: () => void) {
    this.#total = total;
    this.#perConnection = perConnection;
    this.#onFull = onFull;
  }

  /** Bytes of HTTP that an open connection may keep now. @param taken bytes beyond those reserved for it */
  limit(taken: number): number {
    const free = Math.max(0, this.#total - this.#open);
    return Math.min(this.#perConnection, MINIMUM + taken + free);
  }

  /** Whether another open connection may take so many bytes. */
  hasRoom(bytes: number): boolean {
    return this.#open + bytes <= this.#total;
  }

  get isFull(): boolean {
    return this.used > this.#total;
  }

  get used(): number {
    return this.#open + this.#closed;
  }

  /** Call when an open connection takes more, or less. */
  changed(bytes: number): void {
    this.#open += bytes;
    if (bytes > 0 && this.isFull) this.#onFull();
  }

  /** Call when a connection is closed. @param before bytes that it took @param after bytes that it takes now */
  closed(before: number, after: number): void {
    this.#open -= before;
    this.#closed += after;
    if (this.isFull) this.#onFull();
  }

  /** Call when a closed connection is forgotten. */
  released(bytes: number): void {
    this.#closed -= bytes;
  }
}
