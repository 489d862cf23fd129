const EMPTY = new Uint8Array(0);

/**
 * Reads TLS presentation language (RFC 9846 3) and integers of QUIC, big-endian. Never throws: reading past the end returns zero or no
 * bytes, moves to the end and sets `failed`. So a loop until `atEnd` terminates, and it is enough to check `failed`
 * after it.
 */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #offset: number;
  #failed = false;

  /** @param offset where to start in the bytes */
  constructor(bytes: Uint8Array, offset = 0) {
    this.#bytes = bytes;
    this.#offset = Math.min(offset, bytes.length);
  }

  /** Offset of the next byte, in all bytes. */
  get offset(): number {
    return this.#offset;
  }

  get failed(): boolean {
    return this.#failed;
  }

  get atEnd(): boolean {
    return this.#offset === this.#bytes.length;
  }

  /** Whether all reads succeeded, and no bytes are left. */
  get complete(): boolean {
    return this.atEnd && !this.#failed;
  }

  /** Reads an unsigned integer. @param size in bytes */
  uint(size: 1 | 2 | 3 | 4): number {
    const end = this.#offset + size;
    if (end > this.#bytes.length) return this.#fail(0);
    let value = 0;
    while (this.#offset < end) value = value * 256 + (this.#bytes[this.#offset++] ?? 0);
    return value;
  }

  /**
   * Reads a variable-length integer (RFC 9000 16).
   *
   * @returns the value, or Number.MAX_SAFE_INTEGER if it is larger: a limit of that size is never reached, and a length of
   *   that size exceeds the input
   */
  varint(): number {
    return Math.min(Number(this.exactVarint()), Number.MAX_SAFE_INTEGER);
  }

  /** Reads a variable-length integer (RFC 9000 16) of up to 62 bits. */
  exactVarint(): number | bigint {
    const first = this.uint(1);
    const value = first & 0x3f;
    switch (first >> 6) {
      case 0:
        return value;
      case 1:
        return value * 2 ** 8 + this.uint(1);
      case 2:
        return value * 2 ** 24 + this.uint(3);
      default: {
        const high = value * 2 ** 24 + this.uint(3);
        const low = this.uint(4);
        const sum = high * 2 ** 32 + low;
        return sum <= Number.MAX_SAFE_INTEGER ? sum : (BigInt(high) << 32n) + BigInt(low);
      }
    }
  }

  /** Reads bytes as a view, not as a copy. */
  bytes(length: number): Uint8Array {
    const end = this.#offset + length;
    if (end > this.#bytes.length) return this.#fail(EMPTY);
    const bytes = this.#bytes.subarray(this.#offset, end);
    this.#offset = end;
    return bytes;
  }

  /** Skips bytes. */
  skip(length: number): void {
    if (length > this.#bytes.length - this.#offset) this.#fail(undefined);
    else this.#offset += length;
  }

  /** Skips bytes that are zero. @returns their number */
  skipZeros(): number {
    const bytes = this.#bytes;
    const start = this.#offset;
    let at = start;
    while (at < bytes.length && bytes[at] === 0) at++;
    this.#offset = at;
    return at - start;
  }

  /** Reads all bytes that are left, as a view. */
  rest(): Uint8Array {
    return this.bytes(this.#bytes.length - this.#offset);
  }

  /** Reads a variable-length vector (RFC 9846 3.4). @param lengthSize bytes of its length prefix */
  vector(lengthSize: 1 | 2 | 3): Uint8Array {
    return this.bytes(this.uint(lengthSize));
  }

  /** Reads a vector of elements. Fails if the last one is truncated. @param lengthSize bytes of its length prefix */
  list<T>(lengthSize: 1 | 2 | 3, read: (reader: ByteReader) => T): readonly T[] {
    return vectorElements(this.vector(lengthSize), read) ?? this.#fail([]);
  }

  #fail<T>(value: T): T {
    this.#failed = true;
    this.#offset = this.#bytes.length;
    return value;
  }
}

/** Reads a variable-length integer (RFC 9000 16) whose bytes are all there, without a reader for all but the longest. */
export function varintAt(bytes: Buffer, at: number): number | bigint {
  const first = bytes[at] ?? 0;
  switch (first >> 6) {
    case 0:
      return first;
    case 1:
      return bytes.readUInt16BE(at) & 0x3fff;
    case 2:
      return bytes.readUInt32BE(at) & 0x3fff_ffff;
    default:
      return new ByteReader(bytes, at).exactVarint();
  }
}

/** Reads the elements of a vector's content; undefined if the last one is truncated. */
export function vectorElements<T>(
  content: Uint8Array,
  read: (reader: ByteReader) => T,
): readonly T[] | undefined {
  const reader = new ByteReader(content);
  const list: T[] = [];
  while (!reader.atEnd) list.push(read(reader));
  return reader.failed ? undefined : list;
}
