import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { DynamicTable } from '../../../src/wire/field-compression/dynamic-table.ts';
import { integer } from '../../../src/wire/field-compression/primitive-writer.ts';
import { DecoderStream } from '../../../src/wire/qpack/decoder-stream.ts';
import { EncoderStream } from '../../../src/wire/qpack/encoder-stream.ts';
import { capacity, duplicate, hex, insert, insertByRelative, insertByStatic } from './_qpack.ts';

function streamOf(maxCapacity: number) {
  const table = new DynamicTable(0);
  return { table, stream: new EncoderStream(table, maxCapacity) };
}

const instructions = Buffer.concat([
  capacity(500),
  insert('name', 'value'),
  insertByStatic(17, 'PUT'),
  insertByRelative(1, 'other'),
  duplicate(2),
  insert('x'.repeat(60), 'y'.repeat(60)),
]);
const entries = ['name: value', ':method: PUT', 'name: other', 'name: value'];

test('instructions are read in pieces of any size', () => {
  const cuts = fc.array(fc.nat({ max: instructions.length }), { maxLength: 30 });
  fc.assert(
    fc.property(cuts, (unsorted) => {
      const { table, stream } = streamOf(500);
      let from = 0;
      for (const cut of [...unsorted.sort((one, other) => one - other), instructions.length]) {
        expect(stream.read(instructions.subarray(from, cut))).toBe(undefined);
        from = cut;
      }
      expect(stream.bytesKept).toBe(0);
      const read = Array.from({ length: 4 }, (_, at) => table.at(at));
      expect(read.map((entry) => `${entry?.name}: ${entry?.value}`)).toEqual(entries);
      expect(table.insertions).toBe(5);
    }),
  );
});

test.each([
  ['a capacity above the limit', capacity(101), '4.3.1'],
  ['an entry larger than the capacity', insert('x'.repeat(40), 'y'.repeat(40)), '3.2.2'],
  ['a duplicate without an entry', duplicate(2), '2.2.3'],
  ['a name of an evicted entry', insertByRelative(2, ''), '2.2.3'],
  ['a name that is not in the static table', insertByStatic(99, ''), '3.1'],
])('%s is QPACK_ENCODER_STREAM_ERROR', (_, bytes, section) => {
  const { stream } = streamOf(100);
  const start = Buffer.concat([capacity(70), insert('a', '1'), insert('b', '2'), insert('c', '3')]);
  expect(stream.read(Buffer.concat([start, bytes]))).toMatchObject({
    scope: 'connection',
    code: 'QPACK_ENCODER_STREAM_ERROR',
    section: `RFC 9204 ${section}`,
  });
});

test('nothing is inserted before the capacity is set, which is 0 at first (RFC 9204 3.2.2)', () => {
  expect(streamOf(100).stream.read(insert('', ''))?.section).toBe('RFC 9204 3.2.2');
});

test('an entry may evict the one that it is a copy of (RFC 9204 3.2.2)', () => {
  const { table, stream } = streamOf(100);
  const all = [capacity(50), insert('name', 'old'), insertByRelative(0, 'new'), duplicate(0)];
  expect(stream.read(Buffer.concat(all))).toBe(undefined);
  expect([table.length, table.at(2)]).toEqual([1, { name: 'name', value: 'new' }]);
});

test('a string that fits into no entry is refused before it arrives', () => {
  expect(streamOf(100).stream.read(integer(400, 5, 0x40))?.section).toBe('RFC 7541 7.4');
  expect(streamOf(0).stream.read(integer(1, 5, 0x40))?.section).toBe('RFC 7541 7.4');
});

test('an encoder without insertions ignores cancellations, and has nothing to be acknowledged', () => {
  const stream = new DecoderStream();
  const cancellation = integer(1000, 6, 0x40);
  expect(stream.read(cancellation.subarray(0, 2))).toBe(undefined);
  expect(stream.read(cancellation.subarray(2))).toBe(undefined);
  for (const [instruction, section] of [
    [integer(4, 7, 0x80), 'RFC 9204 4.4.1'],
    [integer(0, 6), 'RFC 9204 4.4.3'],
    [integer(1, 6), 'RFC 9204 4.4.3'],
    [hex('ffffffffffffffffffffff'), 'RFC 7541 5.1'],
  ] as const) {
    expect(new DecoderStream().read(instruction)).toMatchObject({
      code: 'QPACK_DECODER_STREAM_ERROR',
      section,
    });
  }
});

test('any bytes of a decoder stream are read', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 5 })), (pieces) => {
      const stream = new DecoderStream();
      for (const piece of pieces) if (stream.read(Buffer.from(piece))) break;
    }),
  );
});
