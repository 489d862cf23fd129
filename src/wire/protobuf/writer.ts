/** Smallest buffer, and bytes that are free after a long value: for short ones, it is not copied again. */
const ROOM = 64;

/** Writes values of the Protocol Buffers wire format into a buffer that grows. */
export class ProtobufWriter {
  #bytes = Buffer.allocUnsafe(ROOM);
  #length = 0;

  /** What has been written, as a view. */
  get written(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  tag(number: number, wireType: number): void {
    this.uint32((number << 3) | wireType);
  }

  uint32(value: number): void {
    let rest = value >>> 0;
    while (rest > 0x7f) {
      this.#byte((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.#byte(rest);
  }

  /** Writes a varint; a negative number as if it were of 64 bits. */
  int32(value: number): void {
    if (value < 0) this.uint64(BigInt(value));
    else this.uint32(value);
  }

  /** Writes a varint of up to 64 bits. A negative number is in two's complement. */
  uint64(value: bigint): void {
    let rest = BigInt.asUintN(64, value);
    while (rest > 0x7fn) {
      this.#byte(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    this.#byte(Number(rest));
  }

  double(value: number): void {
    const start = this.#grow(8);
    this.#bytes.writeDoubleLE(value, start);
  }

  float(value: number): void {
    const start = this.#grow(4);
    this.#bytes.writeFloatLE(value, start);
  }

  /** Writes a length, and bytes of this length. */
  bytes(value: Uint8Array): void {
    this.uint32(value.length);
    const start = this.#grow(value.length);
    this.#bytes.set(value, start);
  }

  text(value: string): void {
    const length = Buffer.byteLength(value);
    this.uint32(length);
    const start = this.#grow(length);
    this.#bytes.write(value, start);
  }

  #byte(value: number): void {
    const start = this.#grow(1);
    this.#bytes[start] = value;
  }

  /** Adds bytes. @returns where they start */
  #grow(length: number): number {
    const start = this.#length;
    this.#length = start + length;
    if (this.#length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#length + ROOM));
      larger.set(this.#bytes.subarray(0, start));
      this.#bytes = larger;
    }
    return start;
  }
}
