import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HeaderBlock } from '../../../src/wire/http2/header-block.ts';
import { HpackDecoder } from '../../../src/wire/http2/hpack-decoder.ts';
import { integer } from '../../../src/wire/field-compression/primitive-writer.ts';
import { piecesOf, place } from '../../fuzz/mutations.ts';
import { STATIC_TABLE } from '../../../src/wire/http2/static-table.ts';
import { huffman, indexed, literal, literals, sizeUpdate, string } from './_hpack.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const lines = ({ fields }: HeaderBlock): string[] =>
  fields.map(({ name, value }) => `${name}: ${value}`);

const date = (second: number): string => `date: Mon, 21 Oct 2013 20:13:${second} GMT`;

describe("RFC 7541's examples", () => {
  const requests = [
    [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com'],
    [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com'],
    [':method: GET', ':scheme: https', ':path: /index.html', ':authority: www.example.com'],
  ];
  requests[1]?.push('cache-control: no-cache');
  requests[2]?.push('custom-key: custom-value');
  const cookie = 'set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1';
  const location = 'location: https://www.example.com';
  const responses = [
    [':status: 302', 'cache-control: private', date(21), location],
    [':status: 307', 'cache-control: private', date(21), location],
    [':status: 200', 'cache-control: private', date(22), location, 'content-encoding: gzip'],
  ];
  responses[2]?.push(cookie);

  test.each([
    [
      'C.2.1',
      '400a637573746f6d2d6b65790d637573746f6d2d686561646572',
      ['custom-key: custom-header', 'literal-indexed', 0, 55],
    ],
    ['C.2.2', '040c2f73616d706c652f70617468', [':path: /sample/path', 'literal', 4, 0]],
    ['C.2.3', '100870617373776f726406736563726574', ['password: secret', 'never-indexed', 0, 0]],
    ['C.2.4', '82', [':method: GET', 'indexed', 2, 0]],
  ])('%s', (_, bytes, expected) => {
    const block = new HpackDecoder().decode(hex(bytes));
    const [field] = block.fields;
    expect([...lines(block), field?.representation, field?.index, block.tableSize]).toEqual(
      expected,
    );
  });

  test.each([
    [
      'C.3',
      '',
      [
        '8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
        '8286 84be 5808 6e6f 2d63 6163 6865',
        '8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65',
      ],
      requests,
      [57, 110, 164],
      [0, 0, 0],
    ],
    [
      'C.4',
      '',
      [
        '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff',
        '8286 84be 5886 a8eb 1064 9cbf',
        '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf',
      ],
      requests,
      [57, 110, 164],
      [0, 0, 0],
    ],
    [
      'C.5',
      '3fe101',
      [
        '4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
        '4803 3330 37c1 c0bf',
        '88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31',
      ],
      responses,
      [222, 222, 215],
      [0, 1, 4],
    ],
    [
      'C.6',
      '3fe101',
      [
        '4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3',
        '4883 640e ffc1 c0bf',
        '88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07',
      ],
      responses,
      [222, 222, 215],
      [0, 1, 4],
    ],
  ])('%s', (_, start, blocks, expected, sizes, evictions) => {
    const decoder = new HpackDecoder();
    const decoded = blocks.map((block, at) =>
      decoder.decode(Buffer.concat([hex(at === 0 ? start : ''), hex(block)])),
    );
    expect(decoded.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
    expect(decoded.map(lines)).toEqual(expected);
    expect(decoded.map(({ tableSize }) => tableSize)).toEqual(sizes);
    expect(decoded.map((block) => block.evictions)).toEqual(evictions);
  });
});

test('how each field was sent', () => {
  const block = Buffer.concat([
    sizeUpdate(0),
    sizeUpdate(200),
    indexed(2),
    literal('literal-indexed', 'x-a', 'one', { name: true }),
    literal('never-indexed', 62, 'two', { value: true }),
    literal('literal', 58, ''),
  ]);
  const { fields, sizeUpdates, ...rest } = new HpackDecoder().decode(block);
  expect(sizeUpdates).toEqual([
    { size: 0, offset: 0 },
    { size: 200, offset: 1 },
  ]);
  expect(fields.map((field) => Object.values(field))).toEqual([
    [':method', 'GET', 'indexed', 2, false, false, 4, 1],
    ['x-a', 'one', 'literal-indexed', 0, true, false, 5, 9],
    ['x-a', 'two', 'never-indexed', 62, false, true, 14, 6],
    ['user-agent', '', 'literal', 58, false, false, 20, 3],
  ]);
  expect(rest).toEqual({
    leftOut: 0,
    sizeUpdatesLeftOut: 0,
    listSize: 42 + 38 + 38 + 42,
    length: 23,
    insertions: 1,
    evictions: 0,
    tableSize: 38,
    tableEntries: 1,
    maxTableSize: 200,
    error: undefined,
  });
});

/** The sections of the errors of blocks after the limit was lowered and raised. */
function decoding(...blocks: Buffer[]): (string | undefined)[] {
  const decoder = new HpackDecoder();
  decoder.setTableSizeLimit(100);
  decoder.setTableSizeLimit(3000);
  return blocks.map((block) => decoder.decode(block).error?.section);
}

describe('errors', () => {
  const long = Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
  test.each<[string, Buffer, string]>([
    ['index 0', indexed(0), 'RFC 7541 6.1'],
    ['an index above the tables', indexed(62), 'RFC 7541 6.1'],
    ['a name index above the tables', literal('literal', 62, 'v'), 'RFC 7541 2.3.3'],
    ['an integer that overflows', long, 'RFC 7541 5.1'],
    ['a padded integer of six bytes', hex('ff808080808000'), 'RFC 7541 5.1'],
    ['EOS', hex('0082ffffffff00'), 'RFC 7541 5.2'],
    ['padding of zeros', hex('00811800'), 'RFC 7541 5.2'],
    ['padding of eight bits', hex('00821fff00'), 'RFC 7541 5.2'],
    ['a string that is too long', Buffer.concat([hex('00'), integer(65_537, 7)]), 'RFC 7541 7.4'],
    ['a truncated integer', hex('ff'), 'RFC 7541 6'],
    ['a truncated string', hex('000561'), 'RFC 7541 6'],
    ['a name without a value', hex('000161'), 'RFC 7541 6'],
    ['a size above the limit', sizeUpdate(4097), 'RFC 7541 6.3'],
    ['a size update after a field', Buffer.concat([indexed(2), sizeUpdate(0)]), 'RFC 7541 4.2'],
  ])('%s', (_, bytes, section) => {
    const decoder = new HpackDecoder();
    const good = indexed(3);
    expect(decoder.decode(good).error).toBeUndefined();
    const { error } = decoder.decode(bytes);
    expect(error?.section).toBe(section);
    // Nothing can be decoded after it.
    expect(decoder.decode(good)).toMatchObject({ fields: [], length: 1, error });
  });

  test('fields before it are kept', () => {
    const { fields, error } = new HpackDecoder().decode(Buffer.concat([indexed(2), indexed(99)]));
    expect(fields.map(({ name }) => name)).toEqual([':method']);
    expect(error?.offset).toBe(1);
  });

  test('a lower limit requires a size update', () => {
    expect(decoding(indexed(2))).toEqual(['RFC 7541 4.2']);
    expect(decoding(Buffer.alloc(0))).toEqual(['RFC 7541 4.2']);
    expect(decoding(sizeUpdate(101))).toEqual(['RFC 7541 6.3']);
    const both = Buffer.concat([sizeUpdate(100), sizeUpdate(3000), indexed(2)]);
    expect(decoding(both, indexed(2), sizeUpdate(3001))).toEqual([
      undefined,
      undefined,
      'RFC 7541 6.3',
    ]);
  });
});

describe('bounds', () => {
  const field = literal('literal-indexed', 'name', 'v'.repeat(1000));

  test('fields beyond the limit are counted, and the table stays right', () => {
    const decoder = new HpackDecoder({ maxListSize: 1100 });
    const block = decoder.decode(Buffer.concat([field, field, indexed(62), indexed(63)]));
    expect(block).toMatchObject({ leftOut: 3, listSize: 4144, tableEntries: 2, error: undefined });
    expect(block.fields).toHaveLength(1);
    expect(decoder.decode(indexed(63)).fields[0]?.value).toHaveLength(1000);
  });

  test('a table that is too large is refused', () => {
    const decoder = new HpackDecoder({ maxTableSize: 10_000 });
    decoder.setTableSizeLimit(1_000_000);
    expect(decoder.decode(sizeUpdate(10_000)).error).toBeUndefined();
    expect(decoder.decode(sizeUpdate(10_001)).error?.reason).toContain('kept');
  });

  test('a long string in fragments of a byte takes no quadratic time', () => {
    const decoder = new HpackDecoder();
    const bytes = literal('literal', 'n', 'v'.repeat(65_536));
    const before = process.cpuUsage().user;
    for (let at = 0; at < bytes.length; at++) decoder.write(bytes.subarray(at, at + 1));
    expect(decoder.end().fields[0]?.value).toHaveLength(65_536);
    expect(process.cpuUsage().user - before).toBeLessThan(1e6);
  });
});

test('what an encoder sent is decoded, however it is split', () => {
  fc.assert(
    fc.property(fc.array(literals, { maxLength: 10 }), fc.array(place), (sent, places) => {
      const parts = sent.map((each) =>
        literal(each.representation, each.name, each.value, each.coded),
      );
      const bytes = Buffer.concat(parts);
      const whole = new HpackDecoder().decode(bytes);
      expect(whole.error).toBeUndefined();
      expect(
        whole.fields.map(({ name, value, representation, huffmanName, huffmanValue }) => ({
          representation,
          name,
          value,
          coded: { name: huffmanName, value: huffmanValue },
        })),
      ).toEqual(sent);
      expect(whole.fields.map(({ length }) => length)).toEqual(parts.map(({ length }) => length));
      const decoder = new HpackDecoder();
      for (const piece of piecesOf(bytes, places)) decoder.write(piece);
      expect(decoder.end()).toEqual(whole);
    }),
  );
});

test('every symbol is decoded from its code', () => {
  for (let byte = 0; byte < 256; byte++) {
    const text = String.fromCharCode(byte);
    const bytes = Buffer.concat([hex('00'), string(text.repeat(3), true), hex('00')]);
    expect(new HpackDecoder().decode(bytes).fields[0]?.name).toBe(text.repeat(3));
  }
  expect(huffman('www.example.com').toString('hex')).toBe('f1e3c2e5f23a6ba0ab90f4ff');
});

test('the static table has 61 entries', () => {
  expect(STATIC_TABLE).toHaveLength(61);
  expect(STATIC_TABLE[60]).toEqual(['www-authenticate', '']);
});
