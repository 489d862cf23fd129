import { describe, expect, test } from 'vitest';
import {
  Flag,
  frame,
  FrameType,
  MAX_WINDOW,
  PREFACE,
  SettingId,
  uint32,
} from '../../../src/wire/http2/frame.ts';
import { HpackEncoder, literals } from '../../../src/wire/http2/hpack-encoder.ts';
import { errorCodeName } from '../../../src/wire/http2/names.ts';
import { alone, frameLines, framesOf, GET, POST, Side } from './_side.ts';

const {
  data,
  headers,
  priority,
  rstStream,
  settings,
  pushPromise,
  ping,
  goaway,
  windowUpdate,
  continuation,
} = FrameType;
const END = Flag.endHeaders | Flag.endStream;
const block = (fields: readonly string[]): Buffer =>
  Buffer.from(new HpackEncoder({ maxTableSize: 0 }).encode(fields));
const get = (stream: number): Buffer => frame(headers, END, stream, block(GET));
const post = (stream: number): Buffer => frame(headers, Flag.endHeaders, stream, block(POST));
const setting = (id: number, value: number): Buffer =>
  frame(settings, 0, 0, Buffer.concat([Buffer.of(0, id), uint32(value)]));
const bytes = (length: number): Buffer => Buffer.alloc(length);

describe('connection errors of a client: code, section, and the last stream in GOAWAY', () => {
  test.each<[string, string, string, Buffer[]]>([
    ['DATA on stream 0', 'PROTOCOL_ERROR', '6.1', [frame(data, 0, 0)]],
    [
      'more padding than DATA',
      'PROTOCOL_ERROR',
      '6.1',
      [post(1), frame(data, Flag.padded, 1, Buffer.of(9, 0))],
    ],
    [
      'padded DATA without Pad Length',
      'FRAME_SIZE_ERROR',
      '6.1',
      [post(1), frame(data, Flag.padded, 1)],
    ],
    ['DATA on an idle stream', 'PROTOCOL_ERROR', '5.1', [frame(data, 0, 1)]],
    ['HEADERS on stream 0', 'PROTOCOL_ERROR', '6.2', [get(0)]],
    [
      'HEADERS shorter than their priority',
      'FRAME_SIZE_ERROR',
      '6.2',
      [frame(headers, 0x24, 1, bytes(4))],
    ],
    [
      'more padding than HEADERS',
      'PROTOCOL_ERROR',
      '6.2',
      [frame(headers, 0xc, 1, Buffer.of(9, 0x82))],
    ],
    ['a stream of even number', 'PROTOCOL_ERROR', '5.1.1', [get(2)]],
    [
      'DATA on an ended stream that both sides have ended',
      'STREAM_CLOSED',
      '5.1',
      [get(3), get(1)],
    ],
    ['PRIORITY on stream 0', 'PROTOCOL_ERROR', '6.3', [frame(priority, 0, 0, bytes(5))]],
    [
      'a short PRIORITY on an idle stream',
      'FRAME_SIZE_ERROR',
      '6.3',
      [frame(priority, 0, 1, bytes(4))],
    ],
    ['RST_STREAM on stream 0', 'PROTOCOL_ERROR', '6.4', [frame(rstStream, 0, 0, bytes(4))]],
    ['RST_STREAM on an idle stream', 'PROTOCOL_ERROR', '5.1', [frame(rstStream, 0, 1, bytes(4))]],
    ['a short RST_STREAM', 'FRAME_SIZE_ERROR', '6.4', [post(1), frame(rstStream, 0, 1, bytes(3))]],
    ['SETTINGS on a stream', 'PROTOCOL_ERROR', '6.5', [frame(settings, 0, 1)]],
    ['SETTINGS of 5 bytes', 'FRAME_SIZE_ERROR', '6.5', [frame(settings, 0, 0, bytes(5))]],
    [
      'an acknowledgement of SETTINGS with a payload',
      'FRAME_SIZE_ERROR',
      '6.5',
      [frame(settings, 1, 0, bytes(6))],
    ],
    ['SETTINGS_ENABLE_PUSH of 2', 'PROTOCOL_ERROR', '6.5.2', [setting(SettingId.enablePush, 2)]],
    [
      'too large an initial window',
      'FLOW_CONTROL_ERROR',
      '6.5.2',
      [setting(SettingId.initialWindowSize, MAX_WINDOW + 1)],
    ],
    [
      'too small a frame size',
      'PROTOCOL_ERROR',
      '6.5.2',
      [setting(SettingId.maxFrameSize, 16_383)],
    ],
    [
      'too large a frame size',
      'PROTOCOL_ERROR',
      '6.5.2',
      [setting(SettingId.maxFrameSize, 2 ** 24)],
    ],
    ['PUSH_PROMISE', 'PROTOCOL_ERROR', '8.4', [post(1), frame(pushPromise, 4, 1, bytes(4))]],
    ['PING on a stream', 'PROTOCOL_ERROR', '6.7', [frame(ping, 0, 1, bytes(8))]],
    ['PING of 7 bytes', 'FRAME_SIZE_ERROR', '6.7', [frame(ping, 0, 0, bytes(7))]],
    ['GOAWAY on a stream', 'PROTOCOL_ERROR', '6.8', [frame(goaway, 0, 1, bytes(8))]],
    ['GOAWAY of 7 bytes', 'FRAME_SIZE_ERROR', '6.8', [frame(goaway, 0, 0, bytes(7))]],
    ['WINDOW_UPDATE of 3 bytes', 'FRAME_SIZE_ERROR', '6.9', [frame(windowUpdate, 0, 0, bytes(3))]],
    ['an increment of 0', 'PROTOCOL_ERROR', '6.9', [frame(windowUpdate, 0, 0, bytes(4))]],
    [
      'too large a window',
      'FLOW_CONTROL_ERROR',
      '6.9.1',
      [frame(windowUpdate, 0, 0, uint32(MAX_WINDOW))],
    ],
    [
      'WINDOW_UPDATE on an idle stream',
      'PROTOCOL_ERROR',
      '5.1',
      [frame(windowUpdate, 0, 1, uint32(1))],
    ],
    [
      'an initial window that makes one of a stream too large',
      'FLOW_CONTROL_ERROR',
      '6.9.2',
      [
        post(1),
        frame(windowUpdate, 0, 1, uint32(1)),
        setting(SettingId.initialWindowSize, MAX_WINDOW),
      ],
    ],
    [
      'more DATA than the window of the connection',
      'FLOW_CONTROL_ERROR',
      '6.9.1',
      [
        post(1),
        post(3),
        post(5),
        ...[1, 3, 5, 1, 3].map((stream) => frame(data, 0, stream, bytes(16_384))),
      ],
    ],
    ['CONTINUATION alone', 'PROTOCOL_ERROR', '6.10', [frame(continuation, 4, 1)]],
    [
      'another frame within a field block',
      'PROTOCOL_ERROR',
      '4.3',
      [frame(headers, 0, 1), frame(ping, 0, 0, bytes(8))],
    ],
    [
      'CONTINUATION of another stream',
      'PROTOCOL_ERROR',
      '4.3',
      [frame(headers, 0, 1), frame(continuation, 4, 3)],
    ],
    [
      'CONTINUATION without end',
      'ENHANCE_YOUR_CALM',
      '10.5.1',
      [frame(headers, 0, 1), ...Array.from({ length: 10 }, () => frame(continuation, 0, 1))],
    ],
    [
      'a field block above the limit',
      'ENHANCE_YOUR_CALM',
      '10.5.1',
      [
        frame(headers, 0, 1),
        ...Array.from({ length: 5 }, () => frame(continuation, 0, 1, bytes(16_384))),
      ],
    ],
    [
      'more settings than any client has',
      'ENHANCE_YOUR_CALM',
      '10.5',
      [frame(settings, 0, 0, bytes(6 * 33)).subarray(0, 9)],
    ],
    [
      'a frame above the limit',
      'FRAME_SIZE_ERROR',
      '4.2',
      [post(1), frame(data, 0, 1, bytes(16_385))],
    ],
  ])('%s: %s, RFC 9113 %s', (_, code, section, frames) => {
    const server = alone('server');
    server.consumes = false;
    // Each side has ended stream 3 when there is one.
    server.react = (event, stream) =>
      event === 'end 3' && server.connection.sendHeaders(stream, [':status', '200'], true);
    server.connection.receive(Buffer.concat(frames));
    expect(server.violation).toMatchObject({
      code,
      section: `RFC 9113 ${section}`,
      scope: 'connection',
    });
    const last = framesOf(server.take()).at(-1);
    expect([last?.type, errorCodeName(last?.payload.readUInt32BE(4) ?? 0)]).toEqual([
      FrameType.goaway,
      code,
    ]);
    // Nothing more is read.
    const { length } = server.events;
    server.connection.receive(get(99));
    expect([server.events.length, server.take().length]).toEqual([length, 0]);
  });

  test('a field block above the limit in one frame, by the header of it (RFC 9113 10.5.1)', () => {
    const server = alone('server', { settings: [{ id: SettingId.maxFrameSize, value: 2 ** 20 }] });
    server.connection.receive(frame(headers, END, 1, bytes(65_537)).subarray(0, 9));
    expect(server.violation).toMatchObject({
      code: 'ENHANCE_YOUR_CALM',
      section: 'RFC 9113 10.5.1',
    });
  });

  test('a field block that cannot be decoded', () => {
    const server = alone('server');
    server.connection.receive(
      Buffer.concat([get(1), frame(headers, END, 3, Buffer.of(0xff, 0xff))]),
    );
    expect(server.violation).toMatchObject({ code: 'COMPRESSION_ERROR', scope: 'connection' });
    expect(framesOf(server.take()).at(-1)?.payload.readUInt32BE()).toBe(1);
  });

  test('an initial window that makes one of a stream too large is told of the stream (RFC 9113 6.9.2)', () => {
    const server = alone('server');
    server.connection.receive(Buffer.concat([post(1), frame(windowUpdate, 0, 1, uint32(1))]));
    server.connection.receive(setting(SettingId.initialWindowSize, MAX_WINDOW));
    expect(server.violation?.reason).toBe(`the stream's window grows to ${MAX_WINDOW + 1}`);
  });

  test.each([
    ['after SETTINGS without it', [setting(SettingId.enablePush, 0), 1]],
    ['to 0', [setting(SettingId.noRfc7540Priorities, 1), 0]],
  ] as const)(
    'SETTINGS_NO_RFC7540_PRIORITIES that changes %s (RFC 9218 2.1)',
    (_, [first, value]) => {
      const server = new Side('server');
      server.connection.receive(Buffer.concat([PREFACE, first]));
      const same = value === 0 ? 1 : 0;
      server.connection.receive(setting(SettingId.noRfc7540Priorities, same));
      expect(server.violation).toBeUndefined();
      server.connection.receive(setting(SettingId.noRfc7540Priorities, value));
      expect(server.violation).toMatchObject({ code: 'PROTOCOL_ERROR', section: 'RFC 9218 2.1' });
    },
  );

  test('SETTINGS_ENABLE_CONNECT_PROTOCOL that is revoked (RFC 8441 3)', () => {
    const client = alone('client');
    client.connection.receive(setting(SettingId.enableConnectProtocol, 1));
    client.connection.receive(setting(SettingId.enableConnectProtocol, 0));
    expect(client.violation).toMatchObject({ code: 'PROTOCOL_ERROR', section: 'RFC 8441 3' });
  });

  test.each([
    ['no preface', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['a preface that ends wrong', Buffer.concat([PREFACE.subarray(0, 20), Buffer.from('abcd')])],
    ['another frame first', Buffer.concat([PREFACE, frame(ping, 0, 0, bytes(8))])],
    ['an acknowledgement first', Buffer.concat([PREFACE, frame(settings, Flag.ack, 0)])],
  ])('%s (RFC 9113 3.4)', (_, sent) => {
    const server = new Side('server');
    for (const byte of sent) server.connection.receive(Buffer.of(byte));
    expect(server.events).toEqual(['error PROTOCOL_ERROR RFC 9113 3.4']);
  });
});

describe('stream errors of a client: RST_STREAM, and the connection goes on', () => {
  test.each<[string, number, string, Buffer[]]>([
    ['HEADERS after END_STREAM', 5, '5.1', [get(1), get(1)]],
    ['DATA after END_STREAM', 5, '5.1', [get(1), frame(data, 0, 1, bytes(1))]],
    ['trailers without END_STREAM', 1, '8.1', [post(1), frame(headers, 4, 1, block(['a', 'b']))]],
    ['a pseudo-header field in trailers', 1, '8.1', [post(1), get(1)]],
    ['an increment of 0', 1, '6.9', [post(1), frame(windowUpdate, 0, 1, bytes(4))]],
    ['too large a window', 3, '6.9.1', [post(1), frame(windowUpdate, 0, 1, uint32(MAX_WINDOW))]],
    ['a short PRIORITY', 6, '6.3', [post(1), frame(priority, 0, 1, bytes(4))]],
  ])('%s: %i, RFC 9113 %s', (_, code, section, frames) => {
    const server = alone('server');
    server.connection.receive(Buffer.concat([...frames, get(7)]));
    expect(server.events).toContain(`reset 1 ${code} RFC 9113 ${section}`);
    expect(server.events.at(-1)).toBe('end 7');
    expect(frameLines(server.take())).toContain(`RST_STREAM 1 0 0000000${code}`);
  });

  test('more DATA than the window of the stream', () => {
    const server = alone('server', { settings: [{ id: SettingId.initialWindowSize, value: 2 }] });
    server.connection.receive(Buffer.concat([post(1), frame(data, 1, 1, bytes(3)), get(3)]));
    expect(server.events).toContain('reset 1 3 RFC 9113 6.9.1');
    expect(server.received(1)).toBe('');
    expect(server.events.at(-1)).toBe('end 3');
  });
});

describe('errors of a server', () => {
  const response = (fields: readonly [string, string][], flags = END): Buffer =>
    frame(headers, flags, 1, literals(fields));
  const OK: [string, string][] = [[':status', '200']];

  test.each<[string, string, Buffer[]]>([
    ['an interim response that ends the stream', '8.1', [response([[':status', '103']])]],
    ['101', '8.3.2', [response([[':status', '101']], 4)]],
    ['no status', '8.3.2', [response([['a', 'b']])]],
    ['two statuses', '8.3.2', [response([...OK, ...OK])]],
    ['a status of two digits', '8.3.2', [response([[':status', '20']])]],
    ['a status that is no number', '8.3.2', [response([[':status', '2e2']])]],
    ['DATA before the header section', '8.1', [frame(data, 1, 1, bytes(1))]],
    ['trailers without END_STREAM', '8.1', [response(OK, 4), response([['a', 'b']], 4)]],
    ['trailers with a status', '8.1', [response(OK, 4), response(OK)]],
  ])('%s: a stream error, RFC 9113 %s', (_, section, frames) => {
    const client = alone('client');
    client.connection.open(GET, true, '');
    client.take();
    client.connection.receive(Buffer.concat(frames));
    expect(client.events.at(-1)).toBe(`reset 1 1 RFC 9113 ${section}`);
    expect(frameLines(client.take())).toContain('RST_STREAM 1 0 00000001');
  });

  test.each<[string, string, string, Buffer[]]>([
    ['HEADERS on an idle stream', 'PROTOCOL_ERROR', '5.1', [frame(headers, END, 3, literals(OK))]],
    [
      'HEADERS on a stream of even number',
      'PROTOCOL_ERROR',
      '5.1',
      [frame(headers, END, 2, literals(OK))],
    ],
    ['PUSH_PROMISE', 'PROTOCOL_ERROR', '8.4', [frame(pushPromise, 4, 1, bytes(4))]],
    ['SETTINGS_ENABLE_PUSH of 1', 'PROTOCOL_ERROR', '6.5.2', [setting(SettingId.enablePush, 1)]],
    ['a second response', 'STREAM_CLOSED', '5.1', [response(OK), response(OK)]],
    ['DATA after the response', 'STREAM_CLOSED', '5.1', [response(OK), frame(data, 0, 1)]],
  ])('%s: %s, RFC 9113 %s', (_, code, section, frames) => {
    const client = alone('client');
    client.connection.open(GET, true, '');
    client.connection.receive(Buffer.concat(frames));
    expect(client.events.at(-1)).toBe(`error ${code} RFC 9113 ${section}`);
  });
});
