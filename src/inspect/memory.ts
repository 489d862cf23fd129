/** Bytes that each connection may keep in any case, for its newest request. */
const MINIMUM = 8192;

/** Counts the memory of all inspected connections. Only what closed ones keep can be released. */
export class InspectMemory {
  readonly #total: number;
  readonly #perConnection: number;
  readonly #onFull: () => void;
  #open = 0;
  #closed = 0;

  /**
   * @param total limit for all connections, in bytes
   * @param perConnection limit for one connection, in bytes
   * @param onFull called when the total is exceeded; must release memory of closed connections
   */
  constructor(total: number, perConnection: number, onFull: () => void) {
    this.#total = total;
    this.#perConnection = perConnection;
    this.#onFull = onFull;
  }

  /** Bytes of HTTP that an open connection may keep now. @param taken bytes that it takes beyond its reserve */
  limit(taken: number): number {
    const free = Math.max(0, this.#total - this.#open);
    return Math.min(this.#perConnection, MINIMUM + taken + free);
  }

  /** Whether a further open connection may take so many bytes. */
  hasRoom(bytes: number): boolean {
    return this.#open + bytes <= this.#total;
  }

  get isFull(): boolean {
    return this.used > this.#total;
  }

  get used(): number {
    return this.#open + this.#closed;
  }

  /** Call when the memory of an open connection changes. @param bytes the difference */
  changed(bytes: number): void {
    this.#open += bytes;
    if (bytes > 0 && this.isFull) this.#onFull();
  }

  /** Call when a connection is closed. @param before bytes that it took @param after bytes that are still kept */
  closed(before: number, after: number): void {
    this.#open -= before;
    this.#closed += after;
    if (this.isFull) this.#onFull();
  }

  /** Call when a closed connection is dropped. */
  released(bytes: number): void {
    this.#closed -= bytes;
  }
}
