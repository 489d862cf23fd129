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
   * Appends bytes of a piece.
   *
   * @param max bytes that there will be at most
   * @param from offset of the first byte in the piece
   * @param to offset after the last one
   * @returns the copy
   * @throws what `allocate` throws
   */
  append(piece: Buffer, max: number, from = 0, to: number = piece.length): Buffer {
    const start = this.#length;
    const needed = start + to - from;
    if (needed > this.#bytes.length) {
      const capacity = Math.min(max, Math.max(needed, 2 * this.#bytes.length));
      this.#allocate(capacity);
      const larger = Buffer.allocUnsafeSlow(capacity);
      this.#bytes.copy(larger, 0, 0, start);
      this.#bytes = larger;
    }
    piece.copy(this.#bytes, start, from, to);
    this.#length = needed;
    return part(this.#bytes, start, needed);
  }

  /** All bytes. It is empty afterwards. */
  take(): Buffer {
    const all = part(this.#bytes, 0, this.#length);
    this.#bytes = NOTHING;
    this.#length = 0;
    return all;
  }
}

/** A part of the bytes, without a further object if that is all of them. */
function part(bytes: Buffer, start: number, end: number): Buffer {
  return start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
}
