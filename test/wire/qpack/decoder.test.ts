import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { capacity, decoderOf, duplicate, hex, indexed, insert, lines, prefix } from './_qpack.ts';

describe("RFC 9204's examples", () => {
  const decoder = decoderOf();

  test('B.1: a literal field line with a name reference', () => {
    const section = decoder.decode(0, hex('0000 510b 2f69 6e64 6578 2e68 746d 6c'));
    expect(lines(section)).toEqual([':path: /index.html']);
    expect(section?.fields[0]).toMatchObject({
      representation: 'literal',
      table: 'static',
      index: 1,
      offset: 2,
      length: 13,
    });
    expect(decoder.takeDecoderStream()).toHaveLength(0);
  });

  test('B.2: insertions, and references after the Base', () => {
    const stream =
      '3fbd01 c00f 7777 772e 6578 616d 706c 652e 636f 6d c10c 2f73 616d 706c 652f 7061 7468';
    expect(decoder.readEncoderStream(hex(stream))).toBe(undefined);
    expect(decoder.bytesKept).toBe(106);
    const section = decoder.decode(4, hex('0381 10 11'));
    expect(lines(section)).toEqual([':authority: www.example.com', ':path: /sample/path']);
    expect(section?.fields.map(({ table, index }) => [table, index])).toEqual([
      ['dynamic', 0],
      ['dynamic', 1],
    ]);
    expect(decoder.takeDecoderStream()).toEqual(hex('84'));
  });

  test('B.3: a speculative insertion', () => {
    const stream = '4a63 7573 746f 6d2d 6b65 790c 6375 7374 6f6d 2d76 616c 7565';
    expect(decoder.readEncoderStream(hex(stream))).toBe(undefined);
    expect(decoder.bytesKept).toBe(160);
    expect(decoder.takeDecoderStream()).toEqual(hex('01'));
  });

  test('B.4: a duplicate that arrives after the stream was cancelled', () => {
    const section = hex('0500 80 c1 81');
    expect(decoder.decode(8, section)).toBe(undefined);
    decoder.cancel(8);
    expect(decoder.takeDecoderStream()).toEqual(hex('48'));
    expect(decoder.readEncoderStream(hex('02'))).toBe(undefined);
    expect(decoder.unblocked()).toEqual([]);
    expect(decoder.bytesKept).toBe(217);
    expect(lines(decoder.decode(8, section))).toEqual([
      ':authority: www.example.com',
      ':path: /',
      'custom-key: custom-value',
    ]);
  });

  test('B.5: an insertion that evicts the oldest entry', () => {
    expect(decoder.readEncoderStream(hex('810d 6375 7374 6f6d 2d76 616c 7565 32'))).toBe(undefined);
    expect(decoder.bytesKept).toBe(215);
    const section = decoder.decode(12, hex('0600 80 81 82 83'));
    expect(lines(section)).toEqual([
      'custom-key: custom-value2',
      ':authority: www.example.com',
      'custom-key: custom-value',
      ':path: /sample/path',
    ]);
    expect(decoder.decode(12, hex('0600 84'))?.error?.section).toBe('RFC 9204 2.2.3');
  });
});

test('a section waits for its entries, and its stream is named once', () => {
  const decoder = decoderOf();
  const section = Buffer.concat([prefix(3), indexed('dynamic', 0)]);
  expect(decoder.decode(4, section)).toBe(undefined);
  decoder.readEncoderStream(Buffer.concat([capacity(220), insert('a', 'b')]));
  expect(decoder.unblocked()).toEqual([]);
  decoder.readEncoderStream(insert('c', 'd'));
  expect(decoder.unblocked()).toEqual([4]);
  expect(decoder.unblocked()).toEqual([]);
  expect(lines(decoder.decode(4, section))).toEqual(['c: d']);
});

test('more blocked streams than were announced are an error (RFC 9204 2.1.2)', () => {
  const decoder = decoderOf({ maxBlockedStreams: 1 });
  const section = Buffer.concat([prefix(2), indexed('dynamic', 0)]);
  expect(decoder.decode(0, section)).toBe(undefined);
  expect(decoder.decode(4, section)?.error).toMatchObject({
    scope: 'connection',
    code: 'QPACK_DECOMPRESSION_FAILED',
    section: 'RFC 9204 2.1.2',
  });
  expect(decoderOf({ maxBlockedStreams: 0 }).decode(0, section)?.error).toBeDefined();
});

test('insertions are acknowledged once: by sections, or by an increment', () => {
  const decoder = decoderOf();
  decoder.readEncoderStream(
    Buffer.concat([capacity(220), insert('a', ''), duplicate(0), duplicate(0)]),
  );
  decoder.decode(4, Buffer.concat([prefix(3), indexed('dynamic', 0)]));
  // The section acknowledges two of three (RFC 9204 4.4.1).
  expect(decoder.takeDecoderStream()).toEqual(hex('84 01'));
  expect(decoder.takeDecoderStream()).toHaveLength(0);
  decoder.decode(8, Buffer.concat([prefix(2), indexed('dynamic', 0)]));
  expect(decoder.takeDecoderStream()).toEqual(hex('88'));
});

test('a decoder without a dynamic table sends nothing, and refuses references to it', () => {
  const decoder = decoderOf({ maxTableCapacity: 0 });
  decoder.cancel(4);
  expect(lines(decoder.decode(4, hex('0000 d1')))).toEqual([':method: GET']);
  expect(decoder.takeDecoderStream()).toHaveLength(0);
  expect(decoder.readEncoderStream(capacity(0))).toBe(undefined);
  expect(decoder.decode(4, hex('0200 80'))?.error?.section).toBe('RFC 9204 4.5.1.1');
  expect(decoder.readEncoderStream(insert('', ''))?.code).toBe('QPACK_ENCODER_STREAM_ERROR');
});

test('the same bytes without references are decoded once, whatever is inserted meanwhile', () => {
  const decoder = decoderOf();
  const section = decoder.decode(0, hex('0000 d1'));
  decoder.readEncoderStream(Buffer.concat([capacity(220), insert('a', 'b')]));
  expect(decoder.decode(4, hex('0000 d1'))).toBe(section);
  const bytes = Buffer.concat([prefix(2), indexed('dynamic', 0)]);
  expect(decoder.decode(8, bytes)).not.toBe(decoder.decode(12, bytes));
});

test('any bytes are decoded, blocked or an error', () => {
  const bytes = fc.uint8Array({ maxLength: 60 }).map((each) => Buffer.from(each));
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), bytes), { maxLength: 10 }), (pieces) => {
      const decoder = decoderOf();
      decoder.readEncoderStream(Buffer.concat([capacity(220), insert('a', 'b'), insert('c', 'd')]));
      for (const [at, [isSection, piece]] of pieces.entries()) {
        if (isSection) decoder.decode(4 * at, Buffer.concat([prefix(3), piece]));
        else if (decoder.readEncoderStream(piece)) return;
        decoder.decode(4 * at, piece);
        expect(decoder.bytesKept).toBeLessThan(220 + 2 * 220 * 4);
      }
      decoder.takeDecoderStream();
    }),
    { numRuns: 2000 },
  );
});
