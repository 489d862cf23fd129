import { describe, expect, test } from 'vitest';
import { integer } from '../../../src/wire/field-compression/primitive-writer.ts';
import { requiredInsertCount } from '../../../src/wire/qpack/insert-count.ts';
import { STATIC_TABLE } from '../../../src/wire/qpack/static-table.ts';
import { capacity, decoderOf, hex, indexed, insert, lines, prefix, text } from './_qpack.ts';

/** A decoder with a table of three entries, the first of which is evicted. */
function filled() {
  const decoder = decoderOf({ maxTableCapacity: 100 });
  const inserts = [insert('a', '1'), insert('b', '2'), insert('c', '3')];
  expect(decoder.readEncoderStream(Buffer.concat([capacity(100), ...inserts]))).toBe(undefined);
  return decoder;
}

test('each entry of the static table is decoded by its index (RFC 9204 A)', () => {
  expect(STATIC_TABLE).toHaveLength(99);
  const decoder = decoderOf();
  for (const [index, line] of STATIC_TABLE.entries()) {
    const section = decoder.decode(0, Buffer.concat([prefix(0), indexed('static', index)]));
    expect(lines(section)).toEqual([line.join(': ')]);
    expect(section?.fields[0]).toMatchObject({ table: 'static', index });
  }
  const beyond = decoder.decode(0, Buffer.concat([prefix(0), indexed('static', 99)]));
  expect(beyond?.error?.section).toBe('RFC 9204 3.1');
});

describe('field lines (RFC 9204 4.5)', () => {
  test.each([
    // Of the three entries, with absolute indices 1 and 2. Required Insert Count 3, Base 3.
    ['4.5.2 static', '04 00 d1', ':method: GET', 'indexed', 'static', 17],
    ['4.5.2 dynamic', '04 00 81', 'b: 2', 'indexed', 'dynamic', 1],
    ['4.5.3', '04 80 10', 'c: 3', 'indexed', 'dynamic', 2],
    ['4.5.4 static', '00 00 5f0d 0178', 'if-modified-since: x', 'literal', 'static', 28],
    ['4.5.4 dynamic', '04 00 40 0178', 'c: x', 'literal', 'dynamic', 2],
    ['4.5.4 dynamic, N', '04 00 60 0178', 'c: x', 'never-indexed', 'dynamic', 2],
    ['4.5.5', '04 80 00 0178', 'c: x', 'literal', 'dynamic', 2],
    ['4.5.5 N', '04 80 08 0178', 'c: x', 'never-indexed', 'dynamic', 2],
    ['4.5.6', '00 00 21 79 0178', 'y: x', 'literal', undefined, 0],
    ['4.5.6 N', '00 00 31 79 0178', 'y: x', 'never-indexed', undefined, 0],
  ])('%s', (_, bytes, line, representation, table, index) => {
    // 28 is authorization in HTTP/2's table, and another in this one.
    const expected = line.startsWith('if-mod') ? `${STATIC_TABLE[28]?.[0]}: x` : line;
    const section = filled().decode(0, hex(bytes));
    expect(section?.error).toBe(undefined);
    expect(lines(section)).toEqual([expected]);
    expect(section?.fields[0]).toMatchObject({ representation, table, index });
    expect(section?.fields[0]?.offset).toBe(2);
    expect(section?.fields[0]?.length).toBe((section?.length ?? 0) - 2);
  });
});

test.each([
  ['an empty section', '', '4.5.1'],
  ['no Base', '00', '4.5.1'],
  ['an incomplete Required Insert Count', 'ff', '4.5.1'],
  ['a count that no encoder encodes', '0700', '4.5.1.1'],
  ['a negative Base', '0483', '4.5.1.2'],
  ['a negative Base, although there are no references', '0080', '4.5.1.2'],
  ['an incomplete index', '0000 ff', '4.5'],
  ['an incomplete value', '0000 51 0261', '4.5'],
  ['an incomplete name', '0000 27 01', '4.5'],
  ['a name without a value', '0000 21 79', '4.5'],
  ['an evicted entry', '0400 82', '2.2.3'],
  ['an index below 0', '0400 83', '2.2.3'],
  ['an entry beyond the Required Insert Count', '0380 10 11', '2.2.3'],
  ['a reference in a section that declares none', '0000 80', '2.2.3'],
  ['a name of an evicted entry', '0400 42 0178', '2.2.3'],
])('%s is QPACK_DECOMPRESSION_FAILED', (_, bytes, section) => {
  expect(filled().decode(0, hex(bytes))?.error).toMatchObject({
    scope: 'connection',
    code: 'QPACK_DECOMPRESSION_FAILED',
    section: `RFC 9204 ${section}`,
  });
});

test('what is invalid in HPACK is invalid here', () => {
  for (const [bytes, section] of [
    ['0000 51 81 18', 'RFC 7541 5.2'],
    ['0000 ffffffffffffffffffffff', 'RFC 7541 5.1'],
    ['0000 51 ffffffff7f', 'RFC 7541 7.4'],
  ] as const) {
    const error = filled().decode(0, hex(bytes))?.error;
    expect([error?.code, error?.section]).toEqual(['QPACK_DECOMPRESSION_FAILED', section]);
  }
});

test('fields above the limit are counted and not kept', () => {
  const decoder = decoderOf({ maxListSize: 100 });
  const line = Buffer.concat([text('ab', 3, 0x20), text('cdef')]);
  const section = decoder.decode(0, Buffer.concat([prefix(0), line, line, line, line]));
  expect(section).toMatchObject({ leftOut: 2, listSize: 4 * 38, error: undefined });
  expect(section?.fields).toHaveLength(2);
});

test('a Required Insert Count wraps as in the example of RFC 9204 4.5.1.1', () => {
  expect(requiredInsertCount(4, 100, 10)).toBe(9);
});

test('every Required Insert Count that can be sent is decoded as it was', () => {
  for (const maxCapacity of [32, 100, 220, 4096]) {
    const maxEntries = Math.floor(maxCapacity / 32);
    for (let insertions = 0; insertions < 5 * maxEntries; insertions++) {
      const least = Math.max(1, insertions - maxEntries + 1);
      for (let count = least; count <= insertions + maxEntries; count++) {
        const encoded = (count % (2 * maxEntries)) + 1;
        expect(requiredInsertCount(encoded, maxCapacity, insertions)).toBe(count);
      }
    }
    expect(requiredInsertCount(2 * maxEntries + 1, maxCapacity, 0)).toBe(-1);
    expect(requiredInsertCount(1, maxCapacity, 0)).toBe(-1);
  }
  expect(integer(4, 8)).toEqual(Buffer.of(4));
});
