import { expect, test } from 'vitest';
import { ByteReader } from '../../src/wire/byte-reader.ts';
import { varint } from '../../src/wire/byte-writer.ts';

// RFC 9000 A.1
test.each<[string, number | bigint]>([
  ['25', 37],
  ['7bbd', 15_293],
  ['9d7f3e7d', 494_878_333],
  ['c2197c5eff14e88c', 151_288_809_941_952_652n],
  ['ffffffffffffffff', 2n ** 62n - 1n],
  ['c01fffffffffffff', Number.MAX_SAFE_INTEGER],
  ['c020000000000000', 2n ** 53n],
])('%s is %d', (bytes, value) => {
  const reader = new ByteReader(Buffer.from(bytes, 'hex'));
  expect(reader.exactVarint()).toBe(value);
  expect(reader.complete).toBe(true);
  expect(varint(value).toString('hex')).toBe(bytes);
});

test('37 may take two bytes', () => {
  expect(new ByteReader(Buffer.from('4025', 'hex')).varint()).toBe(37);
});

test('a number that no double has is the largest one', () => {
  const reader = new ByteReader(varint(2n ** 62n - 1n));
  expect(reader.varint()).toBe(Number.MAX_SAFE_INTEGER);
});

test.each(['', '7b', '9d7f3e', 'c2197c5eff14e8'])('%j ends too early', (bytes) => {
  const reader = new ByteReader(Buffer.from(bytes, 'hex'));
  reader.varint();
  expect(reader.failed).toBe(true);
});
