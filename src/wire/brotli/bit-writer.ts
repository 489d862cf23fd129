/** Writes bits into bytes, the least significant bit of a byte first (RFC 7932 1.5.1). */
export class BitWriter {
  readonly #pieces: Uint8Array[] = [];
  /** Whole bytes that are in no piece yet. */
  #bytes: number[] = [];
  /** Bits that do not fill a byte yet, the first one lowest. */
  #pending = 0;
  #pendingCount = 0;

  /** @param count number of bits, at most 24 @param value less than 2^count */
  write(count: number, value: number): void {
    this.#pending |= value << this.#pendingCount;
    this.#pendingCount += count;
    while (this.#pendingCount >= 8) {
      this.#bytes.push(this.#pending & 0xff);
      this.#pending >>>= 8;
      this.#pendingCount -= 8;
    }
  }

  /** Fills the current byte with zeros, and then appends whole bytes, which it does not copy. */
  writeBytes(bytes: Uint8Array): void {
    if (this.#pendingCount > 0) this.write(8 - this.#pendingCount, 0);
    this.#pieces.push(Uint8Array.from(this.#bytes), bytes);
    this.#bytes = [];
  }

  /** All that was written; the last byte is filled with zeros. */
  toBytes(): Uint8Array {
    this.writeBytes(NO_BYTES);
    return Buffer.concat(this.#pieces);
  }
}

const NO_BYTES = new Uint8Array();
