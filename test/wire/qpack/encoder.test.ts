import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { QpackEncoder } from '../../../src/wire/qpack/encoder.ts';
import { STATIC_TABLE } from '../../../src/wire/qpack/static-table.ts';
import { decoderOf, hex } from './_qpack.ts';

test('what is in the static table takes its index', () => {
  const encoder = new QpackEncoder();
  expect(encoder.encode([':method', 'GET', ':path', '/'])).toEqual(hex('0000 d1 c1'));
  expect(encoder.encode([':status', '200', ':status', '103'])).toEqual(hex('0000 d9 d8'));
  expect(encoder.encode(STATIC_TABLE.flat())).toHaveLength(2 + 63 + 2 * 36);
});

test('other field lines are literals, Huffman-coded where that is not longer', () => {
  const encoder = new QpackEncoder();
  expect(encoder.encode([':path', '/index.html'])).toEqual(hex('0000 51 8860d5485f2bce9a68'));
  expect(encoder.encode(['a', '#'])).toEqual(hex('0000 291f 0123'));
});

test('secrets are marked as never indexed (RFC 9204 7.1.3)', () => {
  const sent = ['authorization', 'x', 'cookie', 'a=b', 'proxy-authorization', 'y', 'accept', 'z'];
  const section = decoderOf().decode(0, new QpackEncoder().encode(sent));
  expect(section?.fields.map(({ representation }) => representation)).toEqual([
    'never-indexed',
    'never-indexed',
    'never-indexed',
    'literal',
  ]);
});

test('field lines are decoded as given, in order and with repetitions', () => {
  const byte = fc.nat({ max: 255 }).map((code) => String.fromCharCode(code));
  const text = fc.oneof(
    fc.string({ unit: byte, maxLength: 300 }),
    fc.constantFrom(...STATIC_TABLE.flat()),
  );
  const encoder = new QpackEncoder();
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text), { maxLength: 20 }), (lines) => {
      const decoder = decoderOf({ maxTableCapacity: 0, maxListSize: Infinity });
      const section = decoder.decode(0, encoder.encode(lines.flat()));
      expect(section?.error).toBe(undefined);
      expect(section?.fields.map(({ name, value }) => [name, value])).toEqual(lines);
    }),
  );
});

test('a section longer than the memory that is kept leaves nothing behind', () => {
  const encoder = new QpackEncoder();
  expect(encoder.encode(['a', 'b'.repeat(100_000)]).length).toBeGreaterThan(50_000);
  expect(encoder.encode([':method', 'GET'])).toEqual(hex('0000 d1'));
});
