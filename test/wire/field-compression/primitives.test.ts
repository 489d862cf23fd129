import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  FAILED,
  MORE,
  PrimitiveReader,
} from '../../../src/wire/field-compression/primitive-reader.ts';
import { integer, PrimitiveWriter } from '../../../src/wire/field-compression/primitive-writer.ts';

const reader = (): PrimitiveReader => new PrimitiveReader({ integerBits: 62, stringLength: 1000 });
const prefixes = fc.integer({ min: 3, max: 7 });

test.each([
  ['C.1.1', 10, 5, '0a'],
  ['C.1.2', 1337, 5, '1f9a0a'],
  ['C.1.3', 42, 8, '2a'],
])('RFC 7541 %s', (_, value, prefix, bytes) => {
  expect(integer(value, prefix).toString('hex')).toBe(bytes);
  const each = reader();
  expect(each.integer(Buffer.from(bytes, 'hex'), 0, bytes.length / 2, prefix)).toBe(value);
  expect(each.end).toBe(bytes.length / 2);
});

test('integers of up to 62 bits are read as written, with any prefix', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), prefixes, fc.nat({ max: 255 }), (value, prefix, bits) => {
      const pattern = bits & ~((1 << prefix) - 1) & 0xff;
      const bytes = integer(value, prefix, pattern);
      const writer = new PrimitiveWriter();
      writer.reserve(20);
      writer.integer(value, prefix, pattern);
      expect(writer.take()).toEqual(bytes);
      const each = reader();
      expect(each.integer(bytes, 0, bytes.length, prefix)).toBe(value);
      expect(each.end).toBe(bytes.length);
      if (bytes.length > 1) expect(each.integer(bytes, 0, bytes.length - 1, prefix)).toBe(MORE);
    }),
  );
});

test('larger integers fail, whether by their value or by their length', () => {
  for (const bytes of [
    'ffffffffffffffffffff7f',
    'ff8080808080808080808080',
    'ffffffffffffffffffff01',
  ]) {
    const each = reader();
    expect(each.integer(Buffer.from(bytes, 'hex'), 0, bytes.length / 2, 7)).toBe(FAILED);
    expect(each.fault?.reason).toBe('an integer of more than 62 bits');
  }
  const narrow = new PrimitiveReader({ integerBits: 32, stringLength: 1000 });
  expect(narrow.integer(integer(2 ** 32 - 1, 7), 0, 6, 7)).toBe(2 ** 32 - 1);
  expect(narrow.integer(integer(2 ** 32, 7), 0, 6, 7)).toBe(FAILED);
});

test('strings are read as written, with any prefix, once they are complete', () => {
  const texts = fc.string({
    unit: fc.nat({ max: 255 }).map((byte) => String.fromCharCode(byte)),
    maxLength: 200,
  });
  fc.assert(
    fc.property(texts, prefixes, (text, prefix) => {
      const writer = new PrimitiveWriter();
      writer.reserve(text.length + 10);
      writer.string(text, prefix);
      const bytes = writer.take();
      const each = reader();
      expect(each.string(bytes, 0, bytes.length, prefix)).toBe(bytes.length);
      expect(each.text).toBe(text);
      if (each.isHuffman) expect(bytes.length).toBeLessThanOrEqual(text.length + 3);
      for (let end = 1; end < bytes.length; end++) {
        expect(each.string(bytes, 0, end, prefix)).toBe(MORE);
      }
    }),
  );
});

test('a string says how many bytes it needs, and fails before them if they are too many', () => {
  const each = reader();
  expect(each.string(Buffer.from('0a6162', 'hex'), 0, 3)).toBe(MORE);
  expect(each.needed).toBe(11);
  expect(each.string(integer(1001, 7), 0, 3)).toBe(FAILED);
  expect(each.fault?.section).toBe('RFC 7541 7.4');
});

test('padding of a Huffman-coded string is fewer than 8 ones (RFC 7541 5.2)', () => {
  const each = reader();
  expect(each.string(Buffer.from('811f', 'hex'), 0, 2)).toBe(2);
  expect(each.text).toBe('a');
  for (const wrong of ['8118', '821fff', '84ffffffff']) {
    expect(each.string(Buffer.from(wrong, 'hex'), 0, wrong.length / 2)).toBe(FAILED);
  }
});

test('any bytes are a value, incomplete or invalid', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), prefixes, (bytes, prefix) => {
      const end = reader().string(Buffer.from(bytes), 0, bytes.length, prefix);
      expect(end >= 1 || end === MORE || end === FAILED).toBe(true);
      expect(end).toBeLessThanOrEqual(bytes.length);
    }),
    { numRuns: 1000 },
  );
});
