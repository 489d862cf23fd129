import { describe, expect, test } from 'vitest';
import {
  BLOCK,
  pooledRandomBytes,
  randomContent,
  randomPieces,
  seededBytes,
} from '../../src/server/random-bytes.ts';

describe('random bytes', () => {
  test('are not returned twice, nor overwritten later', () => {
    const first = pooledRandomBytes(1000);
    const copy = Buffer.from(first);
    const others = Array.from({ length: 200 }, () => pooledRandomBytes(1000));
    expect(first.equals(copy)).toBe(true);
    expect(new Set([first, ...others].map(String)).size).toBe(201);
    expect(pooledRandomBytes(BLOCK)).toHaveLength(BLOCK);
    expect(pooledRandomBytes(0)).toHaveLength(0);
  });

  test.each([1, 1000, 32 * 1024, 64 * 1024, 128 * 1024])('a piece of %i', (size) => {
    const piece = randomPieces.next(size) ?? new Uint8Array(0);
    expect(piece).toHaveLength(size);
    // Its memory is reused for other bytes.
    const copy = Buffer.from(piece);
    randomPieces.release(piece);
    const next = randomPieces.next(size) ?? new Uint8Array(0);
    expect(next.buffer).toBe(piece.buffer);
    if (size > 1) expect(copy.equals(next)).toBe(false);
  });

  test('as content end after their length, fixed or not', () => {
    for (const source of [randomContent(100), randomContent(100).fix()()]) {
      expect([source.next(60), source.next(60)]).toMatchObject([{ length: 60 }, { length: 40 }]);
      expect(source.next(60)).toBeUndefined();
    }
  });

  test('a piece has at most 128 KiB', () => {
    expect(randomPieces.next(2 ** 30)).toHaveLength(128 * 1024);
  });
});

describe('seeded bytes', () => {
  // AES-128-CTR of zeros: `openssl enc -aes-128-ctr -K 0…01 -iv 0`.
  test('are the keystream', () => {
    expect(seededBytes(1)(16).toString('hex')).toBe('0545aad56da2a97c3663d1432a3d1c84');
  });

  test.each([0, 1, 15, 16, 17, 1000, 2 ** 36 - 40])('continue at position %i', (position) => {
    const whole = seededBytes(7, position - (position % 16))(100);
    const start = position % 16;
    expect(seededBytes(7, position)(20).equals(whole.subarray(start, start + 20))).toBe(true);
  });

  test('do not depend on the piece size', () => {
    const next = seededBytes(4_294_967_295);
    const pieces = Buffer.concat([next(1), next(2), next(40), next(7)]);
    expect(pieces.equals(seededBytes(4_294_967_295)(50))).toBe(true);
  });
});
