import { createHash } from 'node:crypto';
import { brotliDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { encodeWithDictionary, MAX_BROTLI_CONTENT } from '../../../src/wire/brotli/encoder.ts';
import { decodeWithDictionary } from './_decode.ts';

/** Bytes without repetition, a different sequence for each seed. */
function noise(length: number, seed = 'a'): Buffer {
  return createHash('shake256', { outputLength: length }).update(seed).digest();
}

const DICTIONARY = noise(60_000);

/** The bound of the length: 16 bytes for each copy with the literals before it, and those of the stream. */
function mostBytes(literals: number, copies: number): number {
  return 8 + literals + 16 * (copies + 1);
}

const part = (from: number, length: number): Buffer => DICTIONARY.subarray(from, from + length);

test.each<[what: string, content: Buffer, literals: number, copies: number]>([
  ['the dictionary', DICTIONARY, 0, 1],
  ['its first byte on', part(0, 24), 0, 1],
  ['its last bytes', part(60_000 - 24, 24), 0, 1],
  ['too little of it', part(100, 23), 23, 0],
  ['nothing of it', noise(5000, 'b'), 5000, 0],
  ['parts in another order', Buffer.concat([part(9000, 900), part(10, 90), part(500, 5000)]), 0, 3],
  [
    'parts between others',
    Buffer.concat([noise(7, 'b'), part(5, 50), noise(300, 'c'), part(50_000, 100), noise(1, 'd')]),
    308,
    2,
  ],
  ['a part again and again', Buffer.concat(Array.from({ length: 50 }, () => part(7, 77))), 0, 50],
])('has %s', (_, content, literals, copies) => {
  const encoded = encodeWithDictionary(content, DICTIONARY);
  expect(decodeWithDictionary(encoded, DICTIONARY).equals(content)).toBe(true);
  expect(encoded.length).toBeLessThanOrEqual(mostBytes(literals, copies));
});

// At both ends of each copy length code that is long enough (RFC 7932 5).
test.each([
  24, 29, 30, 37, 38, 53, 54, 69, 70, 101, 102, 133, 134, 197, 198, 325, 326, 581, 582, 1093, 1094,
  2117, 2118, 30_000,
])('copies %i bytes', (length) => {
  for (const from of [0, 1, 60_000 - length]) {
    const content = Buffer.concat([noise(100, 'b'), part(from, length)]);
    const encoded = encodeWithDictionary(content, DICTIONARY);
    expect(decodeWithDictionary(encoded, DICTIONARY).equals(content)).toBe(true);
    expect(encoded.length).toBeLessThanOrEqual(mostBytes(100, 1));
  }
});

// At both ends of each number of nibbles of MLEN, and of windows.
test.each([0, 1, 65_536, 65_537, 262_128, 262_129, 1_048_576, 1_048_577])(
  'without a dictionary it is a plain stream: %i bytes',
  (length) => {
    const content = noise(length);
    for (const dictionary of [Buffer.alloc(0), Buffer.from('a')]) {
      const encoded = encodeWithDictionary(content, dictionary);
      expect(brotliDecompressSync(encoded).equals(content)).toBe(true);
    }
  },
);

test('a dictionary and content of one repeated byte take linear time', () => {
  const [content, dictionary] = [Buffer.alloc(1_000_000, 'a'), Buffer.alloc(500_000, 'a')];
  const start = performance.now();
  encodeWithDictionary(content, dictionary);
  expect(performance.now() - start).toBeLessThan(2000);
});

test('refuses content that no window has', () => {
  const content = Buffer.alloc(MAX_BROTLI_CONTENT + 1);
  expect(() => encodeWithDictionary(content, DICTIONARY)).toThrow(RangeError);
});
