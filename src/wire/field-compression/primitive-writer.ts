import { encodeHuffman, huffmanLength } from './huffman.ts';

const INITIAL_SIZE = 1024;
/** Bytes of memory that a writer keeps. */
const MAX_KEPT = 16 * 1024;
/** Strings of more characters are written by Buffer. */
const MAX_LOOP = 64;

/** Writes the integers and strings of HPACK (RFC 7541 5), which QPACK uses with other prefixes (RFC 9204 4.1). */
export class PrimitiveWriter {
  #bytes = Buffer.allocUnsafeSlow(INITIAL_SIZE);
  #length = 0;

  /** Makes room. Must be called before so many bytes are written. */
  reserve(size: number): void {
    const needed = this.#length + size;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }

  /**
   * Appends an integer (RFC 7541 5.1).
   *
   * @param prefix its bits in the first byte
   * @param pattern the other bits of the first byte
   */
  integer(value: number, prefix: number, pattern: number): void {
    const mask = (1 << prefix) - 1;
    if (value < mask) {
      this.#bytes[this.#length++] = pattern | value;
      return;
    }
    this.#bytes[this.#length++] = pattern | mask;
    let rest = value - mask;
    for (; rest > 127; rest = Math.floor(rest / 128)) {
      this.#bytes[this.#length++] = (rest % 128) | 128;
    }
    this.#bytes[this.#length++] = rest;
  }

  /**
   * Appends a string (RFC 7541 5.2), Huffman-coded unless that is longer.
   *
   * @param text one character per byte
   * @param prefix bits of its length in the first byte, below the bit that says whether it is Huffman-coded
   * @param pattern the bits above that bit
   */
  string(text: string, prefix = 7, pattern = 0): void {
    const { length } = text;
    const coded = huffmanLength(text);
    if (coded <= length) {
      this.integer(coded, prefix, pattern | (1 << prefix));
      this.#length = encodeHuffman(text, this.#bytes, this.#length);
      return;
    }
    this.integer(length, prefix, pattern);
    if (length > MAX_LOOP) this.#bytes.write(text, this.#length, 'latin1');
    else for (let at = 0; at < length; at++) this.#bytes[this.#length + at] = text.charCodeAt(at);
    this.#length += length;
  }

  /** All bytes written since the last call. The next write may overwrite them. */
  take(): Buffer {
    const written = this.#bytes.subarray(0, this.#length);
    if (this.#bytes.length > MAX_KEPT) this.#bytes = Buffer.allocUnsafeSlow(INITIAL_SIZE);
    this.#length = 0;
    return written;
  }
}

/** Encodes an integer with a prefix of so many bits (RFC 7541 5.1), after the bits of a pattern. */
export function integer(value: number, prefix: number, pattern = 0): Buffer {
  const mask = 2 ** prefix - 1;
  if (value < mask) return Buffer.of(pattern | value);
  const bytes = [pattern | mask];
  let rest = value - mask;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}
