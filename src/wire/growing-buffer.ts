const NOTHING: Buffer = Buffer.alloc(0);

/** Bytes that arrive in pieces of any size and number, in one buffer. It grows with them, and not with what is announced. */
export class GrowingBuffer {
  /** Called with a capacity in bytes before it is allocated; may throw to refuse. */
  readonly #allocate: (capacity: number) => void;
  #bytes = NOTHING;
  #length = 0;

  constructor(allocate: (capacity: number) => void) {
    this.#allocate = allocate;
  }

  get length(): number {
    return this.#length;
  }

  /**
   * Appends a copy of a piece.
   *
   * @param max bytes that there will be at most
   * @returns the copy
   * @throws what `allocate` throws
   */
  append(piece: Uint8Array, max: number): Buffer {
    const start = this.#length;
    const needed = start + piece.length;
    if (needed > this.#bytes.length) {
      const capacity = Math.min(max, Math.max(needed, 2 * this.#bytes.length));
      this.#allocate(capacity);
      const larger = Buffer.allocUnsafeSlow(capacity);
      this.#bytes.copy(larger, 0, 0, start);
      this.#bytes = larger;
    }
    this.#bytes.set(piece, start);
    this.#length = needed;
    return this.#bytes.subarray(start, needed);
  }

  /** All bytes. It is empty afterwards. */
  take(): Buffer {
    const all = this.#bytes.subarray(0, this.#length);
    this.#bytes = NOTHING;
    this.#length = 0;
    return all;
  }
}
