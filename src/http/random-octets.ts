import { createCipheriv, randomFillSync, type Cipher } from 'node:crypto';
import type { Pulled } from './payload.ts';

/** Most octets that are cut from a block made ahead. */
export const BLOCK = 64 * 1024;
let block = Buffer.alloc(0);

/** The most octets of a piece, and how many pieces are kept for further ones. */
const PIECE = 128 * 1024;
const SPARE = 64;
/** Memory to be filled anew. What is allocated for each piece costs more than its octets do. */
const spare: ArrayBufferLike[] = [];

/** Octets that nobody else gets, up to BLOCK of them; for few at a time. */
export function freshOctets(size: number): Buffer {
  if (block.length < size) block = randomFillSync(Buffer.allocUnsafeSlow(BLOCK));
  const octets = block.subarray(0, size);
  block = block.subarray(size);
  return octets;
}

/** Pieces of such octets, of any number: for many. */
export const freshPieces: Required<Pick<Pulled, 'next' | 'release'>> = {
  next: (size) =>
    randomFillSync(Buffer.from(spare.pop() ?? new ArrayBuffer(PIECE), 0, Math.min(size, PIECE))),
  release({ buffer }) {
    if (spare.length < SPARE) spare.push(buffer);
  },
};

/** Keystream is what the cipher makes of these. */
const ZEROS = Buffer.alloc(64 * 1024);

/**
 * Octets that depend on the seed and their position alone, on every machine: the AES-128-CTR
 * keystream whose key is the seed as 16 octets, big-endian, its counter from 0.
 *
 * @param seed 0 to 2^32 - 1
 * @param position of the first octet, 0 to 2^36 - 1
 * @returns gives the next octets, between 1 and `size` of them, for a size above 0
 */
export function seededOctets(seed: number, position = 0): (size: number) => Buffer {
  let cipher: Cipher | undefined;
  return (size) => {
    cipher ??= keystream(seed, position);
    return cipher.update(ZEROS.subarray(0, size));
  };
}

const AES_BLOCK = 16;

/** The cipher, its next octet the one of the position. */
function keystream(seed: number, position: number): Cipher {
  const counter = Buffer.alloc(AES_BLOCK);
  counter.writeUInt32BE(Math.floor(position / AES_BLOCK), 12);
  const cipher = createCipheriv('aes-128-ctr', keyOf(seed), counter);
  cipher.update(ZEROS.subarray(0, position % AES_BLOCK));
  return cipher;
}

function keyOf(seed: number): Buffer {
  const key = Buffer.alloc(AES_BLOCK);
  key.writeUInt32BE(seed, 12);
  return key;
}
