import { describe, expect, test } from 'vitest';
import { vectorElements, ByteReader } from '../../src/wire/byte-reader.ts';

const two = (read: ByteReader): number => read.uint(2);
const reader = (...bytes: number[]): ByteReader => new ByteReader(Uint8Array.from(bytes));

describe('TLS presentation language (RFC 9846 3)', () => {
  test('integers are big-endian and unsigned', () => {
    const read = reader(1, 1, 2, 1, 2, 3, 0xff, 0xff, 0xff, 0xff);
    expect([read.uint(1), read.uint(2), read.uint(3), read.uint(4)]).toEqual([
      1, 0x102, 0x10203, 0xffff_ffff,
    ]);
    expect(read.complete).toBe(true);
  });

  test('vectors are preceded by their length', () => {
    const read = reader(2, 7, 8, 0, 1, 9, 0, 0, 0);
    expect([[...read.vector(1)], [...read.vector(2)], [...read.vector(3)]]).toEqual([
      [7, 8],
      [9],
      [],
    ]);
    expect(read.complete).toBe(true);
  });

  test('lists are vectors of elements', () => {
    const read = reader(4, 0, 1, 0, 2, 0, 0, 2, 0, 3);
    expect([read.list(1, two), read.list(2, two), read.list(1, two)]).toEqual([[1, 2], [], [3]]);
    expect(read.complete).toBe(true);
  });

  test('a list whose last element is truncated fails, also within another list', () => {
    const cut = reader(3, 0, 1, 0, 7);
    expect(cut.list(1, two)).toEqual([]);
    expect([cut.atEnd, cut.failed]).toEqual([true, true]);
    const nested = reader(2, 1, 0);
    expect(nested.list(1, (inner) => inner.list(1, two))).toEqual([]);
    expect(nested.failed).toBe(true);
  });

  test('leftover bytes make it incomplete, but not failed', () => {
    const read = reader(1, 2);
    read.uint(1);
    expect([read.atEnd, read.complete, read.failed]).toEqual([false, false, false]);
  });
});

describe('reading past the end', () => {
  test.each<[name: string, read: (reader: ByteReader) => unknown, value: unknown]>([
    ['an integer', (read) => read.uint(3), 0],
    ['bytes', (read) => read.bytes(3), new Uint8Array(0)],
    ['a vector', (read) => read.vector(1), new Uint8Array(0)],
    ['a list', (read) => read.list(1, two), []],
  ])('%s returns nothing and moves to the end', (_, read, value) => {
    const cut = reader(9, 9);
    expect(read(cut)).toEqual(value);
    expect([cut.atEnd, cut.complete, cut.failed]).toEqual([true, false, true]);
    expect(cut.uint(1)).toBe(0);
  });
});

test('elements, or undefined if the last one is truncated', () => {
  expect(vectorElements(Uint8Array.from([0, 1, 0, 2]), two)).toEqual([1, 2]);
  expect(vectorElements(new Uint8Array(0), two)).toEqual([]);
  expect(vectorElements(Uint8Array.from([0, 1, 0]), two)).toBeUndefined();
});
