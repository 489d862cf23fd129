import { decodeHuffman, maxHuffmanLength } from './huffman.ts';

/** Result in place of a number or an offset: the bytes end before it is complete. */
export const MORE = -1;
/** Result in place of a number or an offset: the bytes are invalid, and `fault` says why. */
export const FAILED = -2;

export interface PrimitiveLimits {
  /** Maximum bits of an integer. */
  readonly integerBits: 32 | 62;
  /** Maximum encoded bytes of a string. */
  readonly stringLength: number;
}

/** Why bytes are no integer or string. */
export interface PrimitiveFault {
  readonly reason: string;
  /** The broken rule, such as `RFC 7541 5.1`. */
  readonly section: string;
}

const MIN_SCRATCH = 1024;

/** Buffer in which decoded strings are assembled. It is shared, because no reader keeps anything in it. */
let scratch = Buffer.allocUnsafeSlow(MIN_SCRATCH);

/** Reads the integers and strings of HPACK (RFC 7541 5), which QPACK uses with other prefixes (RFC 9204 4.1). */
export class PrimitiveReader {
  readonly #integerBits: number;
  readonly #maxInteger: number;
  readonly #maxString: number;
  /** Offset after the last integer. */
  end = 0;
  /** The last string, in Latin-1. */
  text = '';
  /** Whether the last string was Huffman-coded. */
  isHuffman = false;
  /** After `MORE`, the offset that the bytes must reach before a string can be complete; 0 if it is not known. */
  needed = 0;
  /** Why the last result was `FAILED`. */
  fault: PrimitiveFault | undefined;

  constructor({ integerBits, stringLength }: PrimitiveLimits) {
    this.#integerBits = integerBits;
    this.#maxInteger = 2 ** integerBits - 1;
    this.#maxString = stringLength;
  }

  /**
   * Reads an integer (RFC 7541 5.1) from at least one byte.
   *
   * @param prefix bits of the first byte, 3 to 8
   * @returns its value, which is not exact above 2^53, `MORE` or `FAILED`
   */
  integer(bytes: Buffer, start: number, end: number, prefix: number): number {
    const mask = (1 << prefix) - 1;
    let value = (bytes[start] ?? 0) & mask;
    let at = start + 1;
    if (value === mask) {
      for (let weight = 1; ; weight *= 128, at++) {
        if (at === end) return MORE;
        const byte = bytes[at] ?? 0;
        value += (byte & 0x7f) * weight;
        if (value > this.#maxInteger || weight > this.#maxInteger) {
          return this.#fail(`an integer of more than ${this.#integerBits} bits`, 'RFC 7541 5.1');
        }
        if (byte < 0x80) break;
      }
      at++;
    }
    this.end = at;
    return value;
  }

  /**
   * Reads a string (RFC 7541 5.2) into `text`.
   *
   * @param prefix bits of its length in the first byte, below the bit that says whether it is Huffman-coded
   * @returns the offset after it, `MORE` or `FAILED`
   */
  string(bytes: Buffer, start: number, end: number, prefix = 7): number {
    if (start === end) return MORE;
    const length = this.integer(bytes, start, end, prefix);
    if (length < 0) return length;
    if (length > this.#maxString) {
      const reason = `a string of ${length} bytes, above the limit of ${this.#maxString}`;
      return this.#fail(reason, 'RFC 7541 7.4');
    }
    const from = this.end;
    const to = from + length;
    if (to > end) {
      this.needed = to;
      return MORE;
    }
    this.isHuffman = ((bytes[start] ?? 0) & (1 << prefix)) !== 0;
    if (!this.isHuffman) {
      this.text = bytes.toString('latin1', from, to);
      return to;
    }
    const room = maxHuffmanLength(length);
    if (room > scratch.length) scratch = Buffer.allocUnsafeSlow(room);
    const decoded = decodeHuffman(bytes, from, to, scratch);
    if (decoded < 0) return this.#fail('invalid Huffman coding or padding', 'RFC 7541 5.2');
    this.text = scratch.toString('latin1', 0, decoded);
    return to;
  }

  #fail(reason: string, section: string): number {
    this.fault = { reason, section };
    return FAILED;
  }
}
