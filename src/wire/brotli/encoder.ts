import { BitWriter } from './bit-writer.ts';
import { matches, type Match } from './matches.ts';

/** The largest window of the coding dcb (RFC 9842 4), less the bytes that no distance reaches (RFC 7932 9.1). */
export const MAX_BROTLI_CONTENT = 2 ** 24 - 16;

/**
 * Encodes content as a Brotli stream with a prefix dictionary (RFC 7932, RFC 9841 3). What the dictionary has is copied
 * from it, a meta-block for each copy; everything else is in uncompressed meta-blocks. Takes linear time.
 *
 * @throws RangeError if the content has more than MAX_BROTLI_CONTENT bytes
 */
export function encodeWithDictionary(content: Uint8Array, dictionary: Uint8Array): Uint8Array {
  if (content.length > MAX_BROTLI_CONTENT) throw new RangeError('the content exceeds the window');
  const bits = new BitWriter();
  writeWindow(bits, content.length);
  let end = 0;
  for (const match of matches(content, dictionary)) {
    writeUncompressed(bits, content.subarray(end, match.at));
    writeCopy(bits, match, dictionary.length);
    end = match.at + match.length;
  }
  writeUncompressed(bits, content.subarray(end));
  // ISLAST and ISLASTEMPTY (RFC 7932 9.2).
  bits.write(2, 0b11);
  return bits.toBytes();
}

/** WBITS (RFC 7932 9.1): the smallest of 18 to 24 whose window covers the whole content. */
function writeWindow(bits: BitWriter, length: number): void {
  let wbits = 18;
  while (2 ** wbits - 16 < length) wbits++;
  bits.write(4, ((wbits - 17) << 1) | 1);
}

/** ISLAST, MNIBBLES and MLEN of a meta-block that is not the last one (RFC 7932 9.2). @param length at least 1 */
function writeLength(bits: BitWriter, length: number): void {
  bits.write(1, 0);
  const nibbles = length > 2 ** 20 ? 6 : length > 2 ** 16 ? 5 : 4;
  bits.write(2, nibbles - 4);
  bits.write(4 * nibbles, length - 1);
}

function writeUncompressed(bits: BitWriter, literals: Uint8Array): void {
  if (literals.length === 0) return;
  writeLength(bits, literals.length);
  // ISUNCOMPRESSED.
  bits.write(1, 1);
  bits.writeBytes(literals);
}

/** A meta-block with one command, which inserts nothing and copies from the dictionary. */
function writeCopy(bits: BitWriter, { at, from, length }: Match, dictionaryLength: number): void {
  writeLength(bits, length);
  // ISUNCOMPRESSED is 0; NBLTYPESL, NBLTYPESI and NBLTYPESD are 1; NPOSTFIX and NDIRECT are 0; the context mode is
  // LSB6; NTREESL and NTREESD are 1 (RFC 7932 9.2).
  bits.write(1 + 3 + 2 + 4 + 2 + 2, 0);
  const copy = copyCode(length);
  // The dictionary precedes the content: its last byte is one further than the first byte of the content, which the
  // window always covers (RFC 9841 3).
  const distance = distanceCode(at + dictionaryLength - from);
  writeOnlySymbol(bits, 8, 0);
  writeOnlySymbol(bits, 10, copy.symbol);
  writeOnlySymbol(bits, 6, distance.symbol);
  bits.write(copy.extraBits, copy.extra);
  bits.write(distance.extraBits, distance.extra);
}

/** A simple prefix code with one symbol (RFC 7932 3.4), which then takes no bits. */
function writeOnlySymbol(bits: BitWriter, alphabetBits: number, symbol: number): void {
  // A simple code, with NSYM - 1.
  bits.write(2, 1);
  bits.write(2, 0);
  bits.write(alphabetBits, symbol);
}

interface Code {
  readonly symbol: number;
  readonly extraBits: number;
  /** Value of the extra bits. */
  readonly extra: number;
}

/** Extra bits of the copy length codes, the first of which is for two bytes (RFC 7932 5). */
const COPY_EXTRA_BITS = [
  0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10, 24,
] as const;

/** The insert-and-copy symbol that inserts nothing, with an explicit distance (RFC 7932 5). */
function copyCode(length: number): Code {
  let base = 2;
  let code = 0;
  while (length >= base + 2 ** extraBitsOf(code)) base += 2 ** extraBitsOf(code++);
  return {
    symbol: cellOf(code) + (code & 7),
    extraBits: extraBitsOf(code),
    extra: length - base,
  };
}

function extraBitsOf(code: number): number {
  return COPY_EXTRA_BITS[code] ?? 0;
}

/** The first symbol of the cell of a copy length code, for insert length codes 0 to 7. */
function cellOf(code: number): number {
  if (code < 8) return 128;
  return code < 16 ? 192 : 384;
}

/** The distance symbol (RFC 7932 4), with NPOSTFIX and NDIRECT 0. */
function distanceCode(distance: number): Code {
  const shifted = distance + 3;
  const extraBits = 30 - Math.clz32(shifted);
  const isUpper = (shifted >>> extraBits) & 1;
  const extra = shifted - ((2 + isUpper) << extraBits);
  return { symbol: 16 + 2 * (extraBits - 1) + isUpper, extraBits, extra };
}
