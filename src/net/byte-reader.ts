const EMPTY = new Uint8Array(0);

/**
 * Reads TLS's presentation language (RFC 8446 3), big-endian. It never throws: a read past the end
 * gives zero or nothing, puts the reader at its end and marks it as failed. So a loop that reads
 * until `atEnd` always ends, and one look at `failed` behind it tells.
 */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #offset = 0;
  #failed = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get failed(): boolean {
    return this.#failed;
  }

  get atEnd(): boolean {
    return this.#offset === this.#bytes.length;
  }

  /** Whether everything was there, and nothing is left over. */
  get complete(): boolean {
    return this.atEnd && !this.#failed;
  }

  /** An unsigned integer. @param size in bytes */
  uint(size: 1 | 2 | 3 | 4): number {
    let value = 0;
    for (const byte of this.bytes(size)) value = value * 256 + byte;
    return value;
  }

  /** That many bytes: a view on what is read, no copy. */
  bytes(length: number): Uint8Array {
    const end = this.#offset + length;
    if (end > this.#bytes.length) {
      this.#failed = true;
      this.#offset = this.#bytes.length;
      return EMPTY;
    }
    const bytes = this.#bytes.subarray(this.#offset, end);
    this.#offset = end;
    return bytes;
  }

  /** A variable-length vector (RFC 8446 3.4). @param lengthSize bytes of the length before it */
  vector(lengthSize: 1 | 2 | 3): Uint8Array {
    return this.bytes(this.uint(lengthSize));
  }
}

/** The elements of a vector's content; undefined where the last one is cut. */
export function vectorElements<T>(
  content: Uint8Array,
  read: (reader: ByteReader) => T,
): readonly T[] | undefined {
  const reader = new ByteReader(content);
  const list: T[] = [];
  while (!reader.atEnd) list.push(read(reader));
  return reader.failed ? undefined : list;
}
