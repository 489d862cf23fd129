import { describe, expect, test } from 'vitest';
import { nghttp2Rules } from '../../../src/wire/http2/message-rules.ts';
import type { SeenFrame } from '../../../src/inspect/http2/stream.ts';
import {
  flagNames,
  frameView,
  http2SummaryView,
  streamView,
} from '../../../src/inspect/views/http2-view.ts';
import { NOTHING_REDACTED, type Redaction, type View } from '../../../src/inspect/views/view.ts';
import { wireRedaction } from '../../../src/telemetry/rejected-message.ts';
import * as h2 from '../../_frames.ts';
import { http2Reader } from '../http2/_reader.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

const SETTINGS = h2.frame(h2.SETTINGS, 0, 0);

/** A reader that got the client's frames, the first at 5 ms, and its frames. */
function read(...frames: Buffer[]) {
  const seen: SeenFrame[] = [];
  const reader = http2Reader({
    rules: nghttp2Rules('1.64.0'),
    onFrame: (frame) => seen.push(frame),
  });
  reader.received(Buffer.concat([h2.PREFACE, SETTINGS, ...frames]), 5);
  return { reader, seen };
}

/** How the last of the frames is shown. */
function viewOf(frames: readonly Buffer[], redaction: Redaction = NOTHING_REDACTED) {
  const { seen } = read(...frames);
  const last = seen.at(-1);
  if (!last) throw new Error('no frame was read');
  return frameView(last, 0, redaction);
}

test.each([
  [1, 0x2d, ['END_STREAM', 'END_HEADERS', 'PADDED', 'PRIORITY']],
  [0, 0x9, ['END_STREAM', 'PADDED']],
  [4, 1, ['ACK']],
  [6, 0x3, ['ACK', '0x02']],
  [9, 4, ['END_HEADERS']],
  [0xfa, 0x81, ['0x01', '0x80']],
])('flags of type %d: %d', (type, flags, names) => {
  expect(flagNames(type, flags)).toEqual(names);
});

describe('frames', () => {
  test('DATA with padding, and the windows after it', () => {
    const padded = h2.frame(
      h2.DATA,
      0x9,
      1,
      Buffer.concat([Buffer.of(3), bytes('abc'), Buffer.alloc(3)]),
    );
    expect(viewOf([h2.post(1, '/'), padded])).toMatchObject({
      from: 'client',
      type: 'DATA',
      flags: ['END_STREAM', 'PADDED'],
      stream: 1,
      length: 7,
      at_ms: 5,
      padding: 3,
      content: 3,
      window: 65_535 - 7,
      stream_window: 65_535 - 7,
    });
  });

  test.each([
    [
      h2.frame(h2.PRIORITY, 0, 1, Buffer.of(0x80, 0, 0, 3, 9)),
      { exclusive: true, depends_on: 3, weight: 10 },
    ],
    [
      h2.frame(h2.HEADERS, 0x2c, 3, Buffer.from('020000000bff820000', 'hex')),
      { padding: 2, exclusive: false, depends_on: 11, weight: 256, fragment: 1, fields: [{}] },
    ],
    [h2.frame(h2.SETTINGS, 1, 0), { flags: ['ACK'] }],
    [h2.frame(h2.RST_STREAM, 0, 1, h2.uint32(8)), { code: 'CANCEL' }],
    [
      h2.frame(h2.SETTINGS, 0, 0, Buffer.of(0, 4, 0, 0, 0, 1, 0xab, 0xcd, 0, 0, 0, 2)),
      { settings: [{ name: 'INITIAL_WINDOW_SIZE', value: 1 }, { value: 2 }] },
    ],
    [h2.frame(h2.PING, 0, 0, bytes('12345678')), { type: 'PING', data: '3132333435363738' }],
    [h2.frame(h2.WINDOW_UPDATE, 0, 0, h2.uint32(2 ** 31 + 9)), { increment: 9 }],
    [
      h2.frame(0x10, 0, 0, Buffer.concat([h2.uint32(1), bytes('u=1')])),
      { prioritized_stream: 1, priority: 'u=1' },
    ],
  ])('%#', (frame, expected) => {
    expect(viewOf([h2.get(1, '/'), frame])).toMatchObject(expected);
  });

  test.each([
    ['u=3, i', 'u=3, i'],
    ['token=hunter2', 'token[redacted]'],
  ])('the priority %s', (value, priority) => {
    const update = h2.frame(0x10, 0, 0, Buffer.concat([h2.uint32(1), bytes(value)]));
    expect(viewOf([update], wireRedaction)).toMatchObject({ prioritized_stream: 1, priority });
  });

  test('the bytes of an unknown frame and the debug data of GOAWAY are content', () => {
    const unknown = h2.frame(0x20, 0, 0, bytes('hunter2'));
    expect(viewOf([unknown])).toMatchObject({ bytes: 'hunter2' });
    expect(viewOf([unknown], wireRedaction)).toMatchObject({ bytes: '[redacted]' });
    // The reserved bit before the last stream is ignored (RFC 9113 6.8).
    const goaway = h2.frame(
      h2.GOAWAY,
      0,
      0,
      Buffer.concat([h2.uint32(2 ** 31 + 3), h2.uint32(11), bytes('hunter2')]),
    );
    const expected = { last_stream: 3, code: 'ENHANCE_YOUR_CALM' };
    expect(viewOf([goaway])).toMatchObject({ ...expected, debug_data: 'hunter2' });
    expect(viewOf([goaway], wireRedaction)).toMatchObject({
      ...expected,
      debug_data: '[redacted]',
    });
    const { reader } = read(goaway);
    expect(http2SummaryView(reader, 0, wireRedaction)).toMatchObject({
      goaway: [{ from: 'client', ...expected, debug_data: '[redacted]' }],
    });
  });

  test('the frame that ends a field block has the fields', () => {
    const block = h2.get(1, '/a?pin=b').subarray(9);
    const first = h2.frame(h2.HEADERS, h2.END_STREAM, 1, block.subarray(0, 10));
    const last = h2.frame(h2.CONTINUATION, h2.END_HEADERS, 1, block.subarray(10));
    expect(viewOf([first])).toEqual({
      from: 'client',
      type: 'HEADERS',
      flags: ['END_STREAM'],
      stream: 1,
      length: 10,
      offset: 33,
      at_ms: 5,
      fragment: 10,
    });
    const view = viewOf([first, last], wireRedaction);
    expect(view).toMatchObject({
      type: 'CONTINUATION',
      fragment: block.length - 10,
      fields: [
        { name: ':method', value: 'GET', representation: 'literal' },
        { name: ':scheme' },
        { name: ':authority' },
        { name: ':path', value: '/a?pin=[redacted]' },
      ],
      hpack: { length: block.length, insertions: 0, evictions: 0 },
    });
  });

  test('fields above the limit of their size are counted', () => {
    const block = h2.get(1, '/', ['a', 'x'.repeat(200)], ['b', 'y'], ['c', 'z']);
    const shown = (maxFieldsSize: number): unknown => {
      const view: View = viewOf([block], { ...NOTHING_REDACTED, maxFieldsSize });
      return view['fields_left_out'];
    };
    const size = [':method', 'GET', ':scheme', 'http', ':authority', 'x', ':path', '/'].join(
      '',
    ).length;
    expect(shown(4 * 200 + size + 201 + 200)).toBe(2);
    expect(shown(4 * 200 + size + 201 + 199)).toBe(3);
    expect(shown(0)).toBe(7);
    expect(shown(7 * 200 + size + 205)).toBeUndefined();
  });

  test('a field that nghttp2 drops, and a stream that it refuses', () => {
    const { reader } = read(
      h2.get(1, '/', ['x-a', 'b '], ['x-b', 'c']),
      h2.get(3, '/', ['Upper', 'x']),
    );
    const [dropping, refusing] = [1, 3].map((id) => {
      const stream = reader.stream(id);
      return stream && streamView(stream, 0, NOTHING_REDACTED);
    });
    expect(dropping).toMatchObject({ stream: 1, state: 'half-closed (remote)', left_out: 0 });
    expect(dropping).not.toHaveProperty('refusals');
    expect(JSON.stringify(dropping)).toMatch(/"name":"x-a","value":"b ".*?"dropped":\{"reason"/);
    expect(refusing).toMatchObject({
      refusals: [{ reason: 'upper case in a field name', section: 'RFC 9113 8.2.1' }],
    });
  });
});

describe('what is left out is counted', () => {
  const long = Buffer.alloc(3000, 0x61);

  test.each([
    ['unknown', [h2.frame(0xfa, 0, 0, long)], { bytes_left_out: 1976 }],
    ['GOAWAY', [h2.frame(h2.GOAWAY, 0, 0, long)], { debug_data_left_out: 1976 }],
    ['PRIORITY_UPDATE', [h2.frame(0x10, 0, 0, long)], { priority_left_out: 1976 }],
    ['SETTINGS', [h2.frame(h2.SETTINGS, 0, 0, long)], { settings_left_out: 500 - 170 }],
    [
      'table size updates',
      [h2.frame(h2.HEADERS, h2.END_HEADERS, 1, Buffer.alloc(10, 0x20))],
      { hpack: { size_updates_left_out: 2 } },
    ],
  ])('%s', (_, frames, expected) => {
    expect(viewOf(frames)).toMatchObject(expected);
  });

  test('GOAWAY, settings and refusals of a connection', () => {
    const goaway = h2.frame(h2.GOAWAY, 0, 0, Buffer.alloc(8));
    const settings = Buffer.concat(
      Array.from({ length: 40 }, (_each, id) => Buffer.from([0, id + 20, 0, 0, 0, 0])),
    );
    const late = h2.frame(h2.DATA, 0, 1, Buffer.from('x'));
    const { reader } = read(
      h2.get(1, '/'),
      ...Array.from({ length: 20 }, () => late),
      ...Array.from({ length: 6 }, () => goaway),
      h2.frame(h2.SETTINGS, 0, 0, settings),
    );
    expect(http2SummaryView(reader, 0, NOTHING_REDACTED)).toMatchObject({
      goaway_left_out: 2,
      client: { settings_left_out: 8 },
      refused: [{ stream: 1, refusals_left_out: 4 }],
    });
  });
});
