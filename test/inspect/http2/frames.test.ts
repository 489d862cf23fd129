import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Sender } from '../../../src/inspect/protocol-reader.ts';
import { Http2FrameReader, type Frame } from '../../../src/inspect/http2/frames.ts';
import { HpackDecoder } from '../../../src/wire/http2/hpack-decoder.ts';
import * as h2 from '../../_frames.ts';
import { piecesOf, place } from '../../fuzz/mutations.ts';
import { indexed } from '../../wire/http2/_hpack.ts';

const PUSH_PROMISE = 5;
const PADDED = 8;
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

interface Read {
  readonly frames: readonly Frame[];
  readonly reader: Http2FrameReader;
}

function read(from: Sender, pieces: readonly Buffer[]): Read {
  const frames: Frame[] = [];
  const reader = new Http2FrameReader(from, new HpackDecoder(), (frame) => frames.push(frame));
  for (const [now, piece] of pieces.entries()) reader.read(piece, now);
  return { frames, reader };
}

/** The frames after a client's preface and SETTINGS. */
function fromClient(...sent: Buffer[]): readonly Frame[] {
  return read('client', [Buffer.concat([h2.OPENING, ...sent])]).frames.slice(1);
}

test('PUSH_PROMISE of a server, and a field block over several frames', () => {
  const { frames } = read('server', [
    h2.frame(h2.SETTINGS, 0, 0),
    h2.frame(PUSH_PROMISE, PADDED, 1, hex('01 00000002 82 00')),
    h2.frame(h2.CONTINUATION, 0, 1, indexed(4)),
    h2.frame(h2.CONTINUATION, h2.END_HEADERS, 1, indexed(6)),
  ]);
  expect(frames.flatMap(({ violations }) => violations)).toEqual([]);
  expect(frames[1]?.payload).toEqual({ kind: 'push-promise', promised: 2, fragment: 1 });
  const { ended } = frames[3] ?? {};
  expect(ended).toMatchObject({ opener: { type: PUSH_PROMISE, stream: 1 }, continuations: 2 });
  expect(ended?.block.fields).toHaveLength(3);
});

const headers = (flags: number): Buffer => h2.frame(h2.HEADERS, flags, 1, indexed(2));
const settings = (id: number, value: number): Buffer => {
  const entry = Buffer.concat([Buffer.from([0, id]), h2.uint32(value)]);
  return h2.frame(h2.SETTINGS, 0, 0, entry);
};

const SIZE = 'FRAME_SIZE_ERROR';
const zeros = (length: number): Buffer => Buffer.alloc(length);
const PING = h2.frame(h2.PING, 0, 0, Buffer.alloc(8));

describe('violations', () => {
  test.each<[string, Buffer, string, string?]>([
    ['DATA on stream 0', h2.frame(h2.DATA, 0, 0), '9113 6.1'],
    ['DATA with too much padding', h2.frame(h2.DATA, PADDED, 1, hex('0100 00')), ''],
    ['DATA with more padding', h2.frame(h2.DATA, PADDED, 1, hex('03 0000')), '9113 6.1'],
    ['DATA without its padding', h2.frame(h2.DATA, PADDED, 1), '9113 6.1', SIZE],
    ['HEADERS on stream 0', h2.frame(h2.HEADERS, h2.END_HEADERS, 0), '9113 6.2'],
    ['HEADERS of 4 bytes', h2.frame(h2.HEADERS, 0x24, 1, hex('00000000')), '9113 6.2', SIZE],
    ['HEADERS with more padding', h2.frame(h2.HEADERS, 0xc, 1, hex('05 82 00')), '9113 6.2'],
    ['HEADERS on itself', h2.frame(h2.HEADERS, 0x24, 1, hex('00000001 00 82')), '7540 5.3.1'],
    ['invalid HPACK', h2.frame(h2.HEADERS, 4, 1, hex('80')), '7541 6.1', 'COMPRESSION_ERROR'],
    ['PRIORITY of 4 bytes', h2.frame(h2.PRIORITY, 0, 1, h2.uint32(0)), '9113 6.3', SIZE],
    ['RST_STREAM on stream 0', h2.frame(h2.RST_STREAM, 0, 0, h2.uint32(0)), '9113 6.4'],
    ['RST_STREAM of 3 bytes', h2.frame(h2.RST_STREAM, 0, 1, hex('000000')), '9113 6.4', SIZE],
    ['SETTINGS on a stream', h2.frame(h2.SETTINGS, 0, 1), '9113 6.5'],
    ['SETTINGS of 5 bytes', h2.frame(h2.SETTINGS, 0, 0, zeros(5)), '9113 6.5', SIZE],
    ['an acknowledgement with content', h2.frame(h2.SETTINGS, 1, 0, zeros(6)), '9113 6.5', SIZE],
    ['ENABLE_PUSH', settings(2, 2), '9113 6.5.2'],
    ['INITIAL_WINDOW_SIZE', settings(4, 2 ** 31), '9113 6.5.2', 'FLOW_CONTROL_ERROR'],
    ['MAX_FRAME_SIZE', settings(5, 2 ** 14 - 1), '9113 6.5.2'],
    ['ENABLE_CONNECT_PROTOCOL', settings(8, 2), '8441 3'],
    ['NO_RFC7540_PRIORITIES', settings(9, 2), '9218 2.1'],
    ['PUSH_PROMISE of a client', h2.frame(PUSH_PROMISE, 4, 1, h2.uint32(2)), '9113 8.4'],
    ['PING on a stream', h2.frame(h2.PING, 0, 1, zeros(8)), '9113 6.7'],
    ['PING of 7 bytes', h2.frame(h2.PING, 0, 0, zeros(7)), '9113 6.7', SIZE],
    ['GOAWAY on a stream', h2.frame(h2.GOAWAY, 0, 1, zeros(8)), '9113 6.8'],
    ['GOAWAY of 7 bytes', h2.frame(h2.GOAWAY, 0, 0, zeros(7)), '9113 6.8', SIZE],
    ['WINDOW_UPDATE of 0', h2.frame(h2.WINDOW_UPDATE, 0, 1, h2.uint32(0)), '9113 6.9'],
    ['WINDOW_UPDATE of 5 bytes', h2.frame(h2.WINDOW_UPDATE, 0, 0, zeros(5)), '9113 6.9', SIZE],
    ['CONTINUATION alone', h2.frame(h2.CONTINUATION, 4, 1), '9113 6.10'],
    ['PRIORITY_UPDATE on a stream', h2.frame(0x10, 0, 1, h2.uint32(1)), '9218 7.1'],
    ['a frame of 16,385 bytes', h2.frame(0xbe, 0, 1, zeros(16_385)), '9113 4.2', SIZE],
    [
      'PING in a field block',
      Buffer.concat([headers(0), PING, h2.frame(h2.CONTINUATION, 4, 1)]),
      '9113 6.10',
    ],
    ['HEADERS in a field block', Buffer.concat([headers(0), headers(4)]), '9113 6.10'],
    [
      'CONTINUATION of another stream',
      Buffer.concat([headers(0), h2.frame(h2.CONTINUATION, 4, 3)]),
      '9113 6.10',
    ],
  ])('%s', (_, sent, section, code = 'PROTOCOL_ERROR') => {
    // The frame after it is read in any case.
    const frames = fromClient(sent, PING);
    const found = frames.flatMap(({ violations }) => violations);
    const expected = section === '' ? [] : [[`RFC ${section}`, code]];
    expect(found.map((violation) => [violation.section, violation.code])).toEqual(expected);
    expect(frames.at(-1)?.payload.kind).toBe('ping');
  });

  test('the first frame is not SETTINGS', () => {
    const { frames } = read('client', [h2.PREFACE, PING]);
    expect(frames[0]?.violations[0]?.section).toBe('RFC 9113 3.4');
  });
});

test.each(['GET / HTTP/1.1\r\n', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\rX'])('no preface: %j', (text) => {
  const { frames, reader } = read('client', [Buffer.from(text), h2.frame(h2.SETTINGS, 0, 0)]);
  expect(reader.confused).toContain('preface');
  expect(frames).toEqual([]);
});

test('a long payload is kept in part only', () => {
  const long = h2.frame(0xbe, 0, 1, Buffer.alloc(2 ** 24 - 1, 'a'));
  const { frames } = read('server', [h2.frame(h2.SETTINGS, 0, 0), long]);
  expect(frames[1]).toMatchObject({ length: 2 ** 24 - 1, payload: { bytes: 'a'.repeat(1024) } });
});

test('times are those of the first and the last byte', () => {
  const bytes = Buffer.concat([
    h2.frame(h2.SETTINGS, 0, 0),
    h2.frame(h2.DATA, 0, 1, Buffer.alloc(9)),
  ]);
  const pieces = [bytes.subarray(0, 10), bytes.subarray(10, 20), bytes.subarray(20)];
  const { frames } = read('server', pieces);
  expect(frames.map(({ at, endedAt }) => [at, endedAt])).toEqual([
    [0, 0],
    [0, 2],
  ]);
});

const anyFrame = fc
  .tuple(
    fc.oneof(fc.nat(10), fc.constantFrom(0x10, 0xbe)),
    fc.constantFrom(0, 1, 4, 5, 8, 0x20, 0x2d, 0xff),
    fc.nat(5),
    fc.oneof(
      fc.constantFrom(Buffer.alloc(0), h2.uint32(1), Buffer.alloc(8), h2.fieldBlock([['a', 'b']])),
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    ),
  )
  .map(([type, flags, stream, payload]) => h2.frame(type, flags, stream, payload));

const withoutTimes = ({ frames }: Read): unknown[] =>
  frames.map((frame) => Object.assign({}, frame, { at: 0, endedAt: 0 }));

test('the frames are the same however their bytes are split', () => {
  fc.assert(
    fc.property(
      fc.array(anyFrame, { maxLength: 12 }),
      fc.array(place),
      fc.nat(8),
      (sent, places, missing) => {
        const all = Buffer.concat([h2.OPENING, ...sent]);
        const bytes = all.subarray(0, all.length - missing);
        const whole = read('client', [bytes]);
        const split = read('client', piecesOf(bytes, places));
        expect(withoutTimes(split)).toEqual(withoutTimes(whole));
        expect(split.reader.incomplete).toEqual(whole.reader.incomplete);
        if (missing === 0) expect(whole.frames).toHaveLength(sent.length + 1);
      },
    ),
  );
});
