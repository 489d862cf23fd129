import { expect, test } from 'vitest';
import { Http2Reader } from '../../../src/inspect/http2/connection.ts';
import { flagNames, frameFacts } from '../../../src/inspect/http2/frame-facts.ts';
import * as h2 from '../../_frames.ts';
import { literal } from './_hpack.ts';

test('flags by type', () => {
  expect(flagNames(h2.HEADERS, 0xff)).toEqual(
    'END_STREAM 0x02 END_HEADERS PADDED 0x10 PRIORITY 0x40 0x80'.split(' '),
  );
  expect(flagNames(h2.PING, 1)).toEqual(['ACK']);
  expect(flagNames(0xbe, 1)).toEqual(['0x01']);
});

test('frames as JSON', () => {
  const seen: unknown[] = [];
  const reader = new Http2Reader({
    nghttp2: '1.70.0',
    onFrame: (frame) => seen.push(JSON.parse(JSON.stringify(frameFacts(frame)))),
  });
  const block = Buffer.concat([
    h2.fieldBlock([[':method', 'GET']]),
    literal('literal-indexed', 'x-a', 'a\r\nb', { value: true }),
  ]);
  const sent = [
    h2.frame(h2.SETTINGS, 0, 0, Buffer.from('000400000001', 'hex')),
    h2.frame(h2.HEADERS, 5, 1, block),
    h2.frame(h2.WINDOW_UPDATE, 0, 0, h2.uint32(1)),
    h2.frame(h2.GOAWAY, 0, 0, Buffer.concat([h2.uint32(0), h2.uint32(11), Buffer.from('x')])),
  ];
  reader.read('client', Buffer.concat([h2.PREFACE, ...sent]), 5);
  expect(seen).toMatchObject([
    {
      from: 'client',
      at: 5,
      offset: 24,
      type: 'SETTINGS',
      type_number: 4,
      flags: [],
      settings: [{ name: 'INITIAL_WINDOW_SIZE', id: '0x0004', value: 1 }],
    },
    {
      type: 'HEADERS',
      flags: ['END_STREAM', 'END_HEADERS'],
      stream: 1,
      fields: [
        { name: ':method', value: 'GET', sent: 'literal', index: 0 },
        {
          name: 'x-a',
          sent: 'literal-indexed',
          huffman_value: true,
          outcome: 'dropped',
          reason: 'CR in a field value',
          section: 'RFC 9113 8.2.1',
        },
      ],
      table: { size: 39, entries: 1, insertions: 1, evictions: 0 },
      refusals: [{ reason: ':scheme and :path missing' }],
    },
    { type: 'WINDOW_UPDATE', increment: 1, window: { connection: 65_536 } },
    { type: 'GOAWAY', last_stream: 0, code: 'ENHANCE_YOUR_CALM', debug_data: 'x' },
  ]);
});
