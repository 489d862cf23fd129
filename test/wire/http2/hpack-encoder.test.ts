import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HpackDecoder } from '../../../src/wire/http2/hpack-decoder.ts';
import {
  fieldBlock,
  HpackEncoder,
  Indexing,
  indexingOf,
} from '../../../src/wire/http2/hpack-encoder.ts';
import type { HeaderBlock } from '../../../src/wire/http2/header-block.ts';
import { nghttp2Blocks, readByNghttp2 } from './_nghttp2-blocks.ts';

const hex = (text: string): string => text.replaceAll(' ', '');
const lines = (...fields: readonly string[]): string[] =>
  fields.flatMap((field) => {
    const colon = field.indexOf(':', 1);
    return [field.slice(0, colon), field.slice(colon + 2)];
  });
const linesOf = ({ fields }: HeaderBlock): string[] =>
  fields.flatMap(({ name, value }) => [name, value]);

test.each([0, 1, 126, 127, 128, 254, 255, 256, 16_383, 16_384, 65_536])(
  'fieldBlock: a value of %i bytes, in any case, without the dynamic table',
  (length) => {
    const fields = [[':status', '200'] as const, ['X-Name', 'x'.repeat(length)] as const];
    const decoder = new HpackDecoder();
    const decoded = decoder.decode(fieldBlock(fields));
    expect(decoded.fields.map(({ name, value }) => [name, value])).toEqual(fields);
    expect(decoded).toMatchObject({ sizeUpdates: [{ size: 0 }], insertions: 0, error: undefined });
  },
);

const incremental = (): Indexing => Indexing.incremental;

describe("RFC 7541's examples", () => {
  test.each([
    ['C.2.4', ':method: GET', incremental, '82'],
    [
      'C.2.1 with Huffman codes',
      'custom-key: custom-header',
      incremental,
      '40 88 25a849e95ba97d7f 89 25a849e95a728e42d9',
    ],
    ['C.2.2 with Huffman codes', ':path: /sample/path', indexingOf, '04 89 6103a6ba0ac5634cff'],
  ])('%s', (_, field, indexing, bytes) => {
    expect(new HpackEncoder({ indexing }).encode(lines(field)).toString('hex')).toBe(hex(bytes));
  });

  test('C.4', () => {
    const encoder = new HpackEncoder();
    const first = [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com'];
    const third = [
      ':method: GET',
      ':scheme: https',
      ':path: /index.html',
      ':authority: www.example.com',
    ];
    const blocks = [
      first,
      [...first, 'cache-control: no-cache'],
      [...third, 'custom-key: custom-value'],
    ];
    expect(blocks.map((block) => encoder.encode(lines(...block)).toString('hex'))).toEqual([
      hex('828684418cf1e3c2e5f23a6ba0ab90f4ff'),
      hex('828684be5886a8eb10649cbf'),
      hex('828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf'),
    ]);
  });

  test('C.6', () => {
    const encoder = new HpackEncoder({ indexing: incremental, maxTableSize: 256 });
    const rest = [
      'cache-control: private',
      'date: Mon, 21 Oct 2013 20:13:21 GMT',
      'location: https://www.example.com',
    ];
    const third = [
      ':status: 200',
      'cache-control: private',
      'date: Mon, 21 Oct 2013 20:13:22 GMT',
      'location: https://www.example.com',
      'content-encoding: gzip',
      'set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1',
    ];
    const blocks = [[':status: 302', ...rest], [':status: 307', ...rest], third];
    expect(blocks.map((block) => encoder.encode(lines(...block)).toString('hex'))).toEqual([
      // The size of the table, which the example takes for agreed upon, is announced (RFC 7541 4.2).
      hex(
        `3fe101 488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3`,
      ),
      hex('4883640effc1c0bf'),
      hex(
        `88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335dfdfcd5b3960
        d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007`.replaceAll(/\s/g, ''),
      ),
    ]);
  });
});

test.each<[string, string, HeaderBlock['fields'][number]['representation']]>([
  ['authorization', 'Basic dXNlcjpwYXNzd29yZA==', 'never-indexed'],
  ['cookie', 'id=1234567890123456', 'never-indexed'],
  ['cookie', 'id=12345678901234567', 'literal-indexed'],
  ['set-cookie', 'a=b', 'never-indexed'],
  ['content-length', '1234', 'literal'],
  ['x-large', 'x'.repeat(4000), 'literal'],
  ['content-type', 'text/plain', 'literal-indexed'],
])('how a field is encoded that the table does not have: %s', (name, value, representation) => {
  const encoder = new HpackEncoder();
  const decoder = new HpackDecoder();
  const [field] = decoder.decode(encoder.encode([name, value])).fields;
  expect(field).toMatchObject({ name, value, representation });
});

const names = fc.constantFrom(':status', 'date', 'x-a', 'x-b', 'cookie', 'content-type', '');
const values = fc.oneof(
  fc.constantFrom('200', 'a', 'text/html', ''),
  fc.string({
    unit: fc.integer({ min: 0, max: 255 }).map((byte) => String.fromCharCode(byte)),
    maxLength: 300,
  }),
);
const steps = fc.oneof(
  { weight: 5, arbitrary: fc.array(fc.tuple(names, values), { maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 33, 100, 300, 4096, 100_000) },
);

test('a decoder gets back any fields over many blocks and sizes of the table', () => {
  fc.assert(
    fc.property(
      fc.array(steps, { maxLength: 60 }),
      fc.constantFrom(0, 200, 4096, 65_536),
      (all, maxTableSize) => {
        const encoder = new HpackEncoder({ maxTableSize });
        const decoder = new HpackDecoder();
        for (const step of all) {
          if (typeof step === 'number') {
            encoder.setTableSizeLimit(step);
            decoder.setTableSizeLimit(step);
            continue;
          }
          const decoded = decoder.decode(encoder.encode(step.flat()));
          expect(decoded.error).toBeUndefined();
          expect(linesOf(decoded)).toEqual(step.flat());
          expect(decoded.maxTableSize).toBeLessThanOrEqual(maxTableSize);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('the smallest size since the last block is announced before the newest (RFC 7541 4.2)', () => {
  const encoder = new HpackEncoder();
  encoder.encode(['x-a', 'b']);
  for (const limit of [100, 0, 50, 4096]) encoder.setTableSizeLimit(limit);
  const decoder = new HpackDecoder();
  const { sizeUpdates, fields } = decoder.decode(encoder.encode(['x-a', 'b']));
  expect(sizeUpdates.map(({ size }) => size)).toEqual([0, 4096]);
  expect(fields[0]?.representation).toBe('literal-indexed');
  expect(decoder.decode(encoder.encode(['x-a', 'b']))).toMatchObject({
    length: 1,
    sizeUpdates: [],
  });
});

const requestId = (at: number): string => `${at}-${(at * 2_654_435_761).toString(16)}`;

/** Responses as of a site: some fields repeat, some change with each response. */
const responses = Array.from({ length: 200 }, (_, at): string[] => {
  const types = ['text/html; charset=utf-8', 'application/json', 'image/webp', 'text/css'];
  const status = at % 17 === 0 ? '404' : '200';
  const caching = at % 3 === 0 ? 'no-store' : 'public, max-age=31536000, immutable';
  const date = `Mon, 21 Oct 2013 20:13:${String(10 + Math.floor(at / 20))} GMT`;
  const fields = [':status', status, 'content-type', types[at % types.length] ?? ''];
  fields.push('content-length', String((at * 7919) % 50_000), 'date', date);
  fields.push('cache-control', caching, 'server', 'wirebin', 'x-content-type-options', 'nosniff');
  if (at % 2 === 0) fields.push('etag', `"${(at * 2_654_435_761).toString(16)}"`);
  if (at % 5 === 0) fields.push('set-cookie', `id=${(at * 40_503).toString(36)}; Path=/`);
  if (at % 4 === 0) fields.push('content-encoding', 'gzip', 'vary', 'accept-encoding');
  fields.push('strict-transport-security', 'max-age=63072000', 'x-request-id', requestId(at));
  return fields;
});

test('blocks are hardly larger than those of nghttp2', async () => {
  const theirs = await nghttp2Blocks(responses);
  const encoder = new HpackEncoder();
  const ours = responses.reduce((sum, fields) => sum + encoder.encode(fields).length, 0);
  expect(theirs.length).toBe(responses.length);
  expect(ours / theirs.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(1.05);
});

test('nghttp2 reads what was encoded, also when it changes the size of the table', async () => {
  const encoder = new HpackEncoder();
  const sizes = [4096, 0, 200, 1000];
  const seen = await readByNghttp2(responses, sizes, (fields, limit) => {
    encoder.setTableSizeLimit(limit);
    return encoder.encode(fields);
  });
  expect(seen).toEqual(responses);
});
