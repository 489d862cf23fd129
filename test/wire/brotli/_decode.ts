import { brotliDecompressSync } from 'node:zlib';

/** Bytes of the dictionary that are written in meta-blocks of 69 bits: then the next bit is the fifth of a byte. */
const SINGLES = 4;

/**
 * Decodes a Brotli stream with a prefix dictionary by Node's decoder, which supports none: the dictionary is written before
 * the content, where the same distances reach it (RFC 9841 3), and is removed afterwards.
 *
 * @param stream with four bits before its first meta-block: WBITS from 18 to 24
 * @param dictionary of 5 bytes to 64 KiB
 */
export function decodeWithDictionary(stream: Uint8Array, dictionary: Uint8Array): Buffer {
  const whole = dictionary.subarray(0, -SINGLES);
  const first = stream[0] ?? 0;
  // WBITS; ISLAST, MNIBBLES, MLEN, ISUNCOMPRESSED (RFC 7932 9.2).
  const begin = bitsOf(4, first) + '000' + bitsOf(16, whole.length - 1) + '1';
  const singles = Array.from(dictionary.subarray(-SINGLES), literal).join('');
  const between = bytesOf(singles + bitsOf(4, first >> 4));
  const spliced = Buffer.concat([bytesOf(begin), whole, between, stream.subarray(1)]);
  return brotliDecompressSync(spliced).subarray(dictionary.length);
}

/** A meta-block with one literal, and with a prefix code of one symbol for each alphabet. */
function literal(byte: number): string {
  const only = (size: number, symbol: number): string => `1000${bitsOf(size, symbol)}`;
  // Inserts one literal; the copy is left out, since the meta-block ends before it (RFC 7932 9.3).
  const insertOne = 128 + 8;
  return bitsOf(33, 0) + only(8, byte) + only(10, insertOne) + only(6, 0);
}

/** The least significant bit first. */
function bitsOf(count: number, value: number): string {
  return backwards(value.toString(2).padStart(count, '0').slice(-count));
}

function backwards(bits: string): string {
  return bits.split('').toReversed().join('');
}

/** Zeros fill the last byte. */
function bytesOf(bits: string): Buffer {
  const bytes = bits.padEnd(Math.ceil(bits.length / 8) * 8, '0').match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(backwards(byte), 2)));
}
