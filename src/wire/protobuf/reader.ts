/** Content that is no message of its type: truncated, or against the encoding of Protocol Buffers. */
export class ProtobufError extends Error {}
/** A message with more values than are read. */
export class TooManyValues extends ProtobufError {}

/** Wire types (https://protobuf.dev/programming-guides/encoding). */
export const Wire = {
  varint: 0,
  fixed64: 1,
  bytes: 2,
  groupStart: 3,
  groupEnd: 4,
  fixed32: 5,
} as const;

/** Values of a message and of all in it, at most: each may take VALUE_MEMORY bytes, and have two in the message. */
const MAX_VALUES = 10_000;
/** Bytes that a value may take once it is read, as measured with empty messages. */
export const VALUE_MEMORY = 96;

/** Number of values that were read. */
export interface ValueCount {
  count: number;
}
/** How deep groups may be in each other. Only unknown fields are groups. */
const MAX_GROUPS = 100;

/** Reads values of the Protocol Buffers wire format. Every method throws ProtobufError at the end of the bytes. */
export class ProtobufReader {
  readonly #bytes: Buffer;
  #offset = 0;
  /** Bits 32 to 63 of the last varint. */
  #high = 0;
  readonly #values: ValueCount;

  /** @param values of the message that this one is in */
  constructor(bytes: Uint8Array, values: ValueCount = { count: 0 }) {
    this.#values = values;
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get atEnd(): boolean {
    return this.#offset === this.#bytes.length;
  }

  /** Reads a length, and makes a reader of bytes of this length. */
  nested(): ProtobufReader {
    return new ProtobufReader(this.bytes(), this.#values);
  }

  /** Counts a value. @throws ProtobufError if there are too many */
  count(): void {
    if (++this.#values.count <= MAX_VALUES) return;
    throw new TooManyValues(`more than ${MAX_VALUES} values`);
  }

  /** Reads the number and the wire type of the next field. */
  tag(): readonly [number: number, wireType: number] {
    this.count();
    const tag = this.uint32();
    const number = tag >>> 3;
    if (this.#high !== 0 || number === 0) throw new ProtobufError('invalid field number');
    return [number, tag & 7];
  }

  /** Reads a varint; of a longer one, as of a negative int32, the lower 32 bits. */
  uint32(): number {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#bytes[this.#take(1)] ?? 0;
      const bits = byte & 0x7f;
      if (shift < 32) low |= bits << shift;
      if (shift >= 32) high |= bits << (shift - 32);
      else if (shift === 28) high = bits >> 4;
      if (byte < 0x80) {
        this.#high = high >>> 0;
        return low >>> 0;
      }
    }
    throw new ProtobufError('varint of more than 10 bytes');
  }

  bool(): boolean {
    const low = this.uint32();
    return (low | this.#high) !== 0;
  }

  uint64(): bigint {
    const low = this.uint32();
    return (BigInt(this.#high) << 32n) | BigInt(low);
  }

  double(): number {
    return this.#bytes.readDoubleLE(this.#take(8));
  }

  float(): number {
    return this.#bytes.readFloatLE(this.#take(4));
  }

  /** Reads a length, and bytes of this length as a view. */
  bytes(): Buffer {
    const length = this.uint32();
    if (this.#high !== 0) throw new ProtobufError('truncated message');
    const start = this.#take(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** Skips the value of an unknown field. */
  skip(number: number, wireType: number, depth = 0): void {
    if (wireType === Wire.varint) this.uint32();
    else if (wireType === Wire.bytes) this.bytes();
    else if (wireType === Wire.fixed64) this.#take(8);
    else if (wireType === Wire.fixed32) this.#take(4);
    else if (wireType === Wire.groupStart && depth < MAX_GROUPS) this.#skipGroup(number, depth + 1);
    else throw new ProtobufError(`field ${number} has wire type ${wireType}`);
  }

  #skipGroup(group: number, depth: number): void {
    for (;;) {
      const [number, wireType] = this.tag();
      if (wireType === Wire.groupEnd && number === group) return;
      this.skip(number, wireType, depth);
    }
  }

  /** Moves over bytes. @returns where they start */
  #take(length: number): number {
    const start = this.#offset;
    if (length > this.#bytes.length - start) throw new ProtobufError('truncated message');
    this.#offset = start + length;
    return start;
  }
}
