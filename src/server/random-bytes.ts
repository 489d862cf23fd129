import { createCipheriv, randomFillSync, type Cipher } from 'node:crypto';
import type { PullSource } from './payload.ts';

const KiB = 1024;
/** Most bytes that are cut from a block made ahead. */
export const BLOCK = 64 * KiB;
let block = Buffer.alloc(0);

/** Memory to be filled anew. What is allocated for each piece costs more than its bytes do. */
interface Spares {
  readonly bytes: number;
  readonly rooms: ArrayBufferLike[];
}

/** Of each size, how many are kept. A piece that waits for its client had better take no more than it needs. */
const MOST_SPARES = 64;
const small: Spares = { bytes: 32 * KiB, rooms: [] };
const medium: Spares = { bytes: 64 * KiB, rooms: [] };
/** The most bytes of a piece. */
const large: Spares = { bytes: 128 * KiB, rooms: [] };

function sparesFor(size: number): Spares {
  if (size <= small.bytes) return small;
  return size <= medium.bytes ? medium : large;
}

/** Bytes that nobody else gets, up to BLOCK of them; for few at a time. */
export function pooledRandomBytes(size: number): Buffer {
  if (block.length < size) block = randomFillSync(Buffer.allocUnsafeSlow(BLOCK));
  const bytes = block.subarray(0, size);
  block = block.subarray(size);
  return bytes;
}

/** Pieces of such bytes, of any number: for many. */
export const randomPieces: Required<Pick<PullSource, 'next' | 'release'>> = {
  next(size) {
    const { bytes, rooms } = sparesFor(size);
    const room = rooms.pop() ?? new ArrayBuffer(bytes);
    return randomFillSync(Buffer.from(room, 0, Math.min(size, bytes)));
  },
  release({ buffer }) {
    const { rooms } = sparesFor(buffer.byteLength);
    if (rooms.length < MOST_SPARES) rooms.push(buffer);
  },
};

/** Keystream is what the cipher makes of these. */
const ZEROS = Buffer.alloc(64 * KiB);

/**
 * Bytes that depend on the seed and their position alone, on every machine: the AES-128-CTR
 * keystream whose key is the seed as 16 bytes, big-endian, its counter from 0.
 *
 * @param seed 0 to 2^32 - 1
 * @param position of the first byte, 0 to 2^36 - 1
 * @returns gives the next bytes, between 1 and `size` of them, for a size above 0
 */
export function seededBytes(seed: number, position = 0): (size: number) => Buffer {
  let cipher: Cipher | undefined;
  return (size) => {
    cipher ??= keystream(seed, position);
    return cipher.update(ZEROS.subarray(0, size));
  };
}

const AES_BLOCK = 16;

/** The cipher, its next byte the one of the position. */
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
