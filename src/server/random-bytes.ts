import { createCipheriv, randomBytes, randomFillSync, type Cipher } from 'node:crypto';
import { pullSource, type PullSource, type Repeatable } from './payload.ts';

const KiB = 1024;
/** Size in bytes of the block from which small requests get their random bytes. */
export const BLOCK = 64 * KiB;
let block = Buffer.alloc(0);

/** Buffers for reuse, because allocating one for each piece costs more than its random bytes. */
interface BufferPool {
  readonly bytes: number;
  readonly buffers: ArrayBufferLike[];
}

/** Maximum number of unused buffers in a pool. */
const MAX_POOLED = 64;
/** Pools of several sizes, so that a queued piece wastes little memory. */
const pools: readonly BufferPool[] = [4, 8, 16, 32, 64].map((size) => newPool(size * KiB));
const largest = newPool(128 * KiB);

function newPool(bytes: number): BufferPool {
  return { bytes, buffers: [] };
}

function poolFor(size: number): BufferPool {
  return pools.find(({ bytes }) => size <= bytes) ?? largest;
}

/** Random bytes from the block, at most BLOCK of them. */
export function pooledRandomBytes(size: number): Buffer {
  if (block.length < size) block = randomFillSync(Buffer.allocUnsafeSlow(BLOCK));
  const bytes = block.subarray(0, size);
  block = block.subarray(size);
  return bytes;
}

/** The methods of a pull source of random bytes, of any length. */
export const randomPieces = {
  next(size) {
    const { bytes, buffers } = poolFor(size);
    const memory = buffers.pop() ?? new ArrayBuffer(bytes);
    return randomFillSync(Buffer.from(memory, 0, Math.min(size, bytes)));
  },
  release({ buffer }) {
    const { buffers } = poolFor(buffer.byteLength);
    if (buffers.length < MAX_POOLED) buffers.push(buffer);
  },
} satisfies Pick<PullSource, 'next' | 'release'>;

export function randomContent(length: number): Repeatable {
  const source = pullSource(length, (size) => randomPieces.next(size));
  return {
    kind: 'pulled',
    length,
    next: (size) => source.next(size),
    release: (piece) => randomPieces.release(piece),
    fix() {
      const key = randomBytes(AES_BLOCK);
      return () => pullSource(length, keystreamBytes(key));
    },
  };
}

/**
 * Random bytes in pieces, each of them made when it is needed.
 *
 * @param seed makes the bytes those of `seededBytes`; random without one
 */
export function* randomSequence(length: number, seed?: number): Generator<Uint8Array> {
  const next = seed === undefined ? (size: number) => randomPieces.next(size) : seededBytes(seed);
  for (let left = length; left > 0;) {
    const piece = next(left);
    left -= piece.length;
    yield piece;
  }
}

/** Zeros. Encrypting them gives the keystream itself. */
const ZEROS = Buffer.alloc(64 * KiB);

/**
 * Reproducible bytes: the AES-128-CTR keystream (key: the seed as a 16-byte big-endian integer,
 * counter 0).
 *
 * @param seed 0 to 2^32 - 1
 * @param position of the first byte, 0 to 2^36 - 1
 * @returns a function that returns the next 1 to `size` bytes; `size` must be positive
 */
export function seededBytes(seed: number, position = 0): (size: number) => Buffer {
  const key = Buffer.alloc(AES_BLOCK);
  key.writeUInt32BE(seed, 12);
  return keystreamBytes(key, position);
}

function keystreamBytes(key: Buffer, position = 0): (size: number) => Buffer {
  let cipher: Cipher | undefined;
  return (size) => {
    cipher ??= keystream(key, position);
    return cipher.update(ZEROS.subarray(0, size));
  };
}

const AES_BLOCK = 16;

/** A cipher that starts at a byte position of the keystream. */
function keystream(key: Buffer, position: number): Cipher {
  const counter = Buffer.alloc(AES_BLOCK);
  counter.writeUInt32BE(Math.floor(position / AES_BLOCK), 12);
  const cipher = createCipheriv('aes-128-ctr', key, counter);
  cipher.update(ZEROS.subarray(0, position % AES_BLOCK));
  return cipher;
}
