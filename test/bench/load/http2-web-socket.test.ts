import { expect, test } from 'vitest';
import { Flag, frame, FrameType, SettingId, uint32 } from '../../../src/wire/http2/frame.ts';
import { fieldBlock } from '../../../src/wire/http2/hpack-encoder.ts';
import { HpackDecoder } from '../../../src/wire/http2/hpack-decoder.ts';
import { encodeFrame, Opcode } from '../../../src/wire/websocket/frame.ts';
import { WebSocketReader } from '../../../src/wire/websocket/frame-reader.ts';
import { connection, settings } from './_http2.ts';
import { REQUEST } from './_request.ts';

const content = Buffer.from('0123456789');
const request = { ...REQUEST, isWebSocket: true, content };
const OFFERED = settings([SettingId.enableConnectProtocol, 1]);
const accepted = (stream: number): Buffer =>
  frame(FrameType.headers, Flag.endHeaders, stream, fieldBlock([[':status', '200']]));
const message = (stream: number, opcode: number = Opcode.binary, bytes = content): Buffer =>
  frame(FrameType.data, 0, stream, encodeFrame({ isFinal: true, opcode, content: bytes }));

test('messages on a stream that extended CONNECT opens, one after the other', async () => {
  const streams = new Set<number>();
  const opened: unknown[] = [];
  const reader = new WebSocketReader({ isMasked: true, maxFrame: 100, maxMessage: 100 });
  const seen: string[] = [];
  const { send } = await connection(OFFERED, ({ type, flags, stream, payload }, server) => {
    if (type === FrameType.headers) {
      const { fields } = new HpackDecoder().decode(payload);
      opened.push(
        flags & Flag.endStream,
        ...fields.slice(0, 5).map(({ name, value }) => [name, value]),
      );
      server.write(accepted(stream));
    }
    if (type !== FrameType.data) return;
    streams.add(stream);
    for (const { opcode, content: bytes } of reader.read(payload)) {
      seen.push(`${opcode} ${bytes.toString()}`);
      if (opcode === Opcode.binary) {
        server.write(
          Buffer.concat([message(stream, Opcode.ping, Buffer.from('a')), message(stream)]),
        );
      }
    }
  });
  for (let count = 0; count < 3; count++) expect(await send(request)).toBeUndefined();
  expect(opened).toEqual([
    0,
    [':method', 'CONNECT'],
    [':path', '/'],
    [':authority', 'a'],
    [':scheme', 'http'],
    [':protocol', 'websocket'],
  ]);
  expect([...streams]).toEqual([1]);
  expect(seen.filter((each) => each === '2 0123456789')).toHaveLength(3);
  expect(seen).toContain('10 a');
});

test.each<[string, string, (stream: number) => Buffer]>([
  [
    'another status',
    'status 404',
    () => frame(FrameType.headers, 5, 1, fieldBlock([[':status', '404']])),
  ],
  [
    'other content',
    'wrong content',
    (stream) => Buffer.concat([accepted(stream), message(stream, Opcode.binary, Buffer.from('x'))]),
  ],
  [
    'Close',
    'connection closed',
    (stream) => Buffer.concat([accepted(stream), message(stream, Opcode.close, Buffer.alloc(0))]),
  ],
  [
    'the end of the stream',
    'connection closed',
    (stream) => Buffer.concat([accepted(stream), frame(FrameType.data, Flag.endStream, stream)]),
  ],
  [
    'a reset',
    'stream reset (CANCEL)',
    (stream) => Buffer.concat([accepted(stream), frame(FrameType.rstStream, 0, stream, uint32(8))]),
  ],
  [
    'a malformed frame',
    'malformed WebSocket: a reserved bit is set',
    (stream) =>
      Buffer.concat([accepted(stream), frame(FrameType.data, 0, stream, Buffer.of(0xf2, 0))]),
  ],
])('%s: %s', async (_, failure, respond) => {
  const { send } = await connection(OFFERED, ({ type, stream }, server) => {
    if (type === FrameType.headers) server.write(respond(stream));
  });
  expect(await send(request)).toBe(failure);
});

test('a server without extended CONNECT is not asked', async () => {
  const types: number[] = [];
  const { send } = await connection(settings(), ({ type }) => void types.push(type));
  expect(await send(request)).toBe('extended CONNECT is not offered');
  expect(await send(request)).toBe('extended CONNECT is not offered');
  expect(types).not.toContain(FrameType.headers);
});

test('a message waits for the window of its stream', async () => {
  let size = 0;
  const small = settings([SettingId.enableConnectProtocol, 1], [SettingId.initialWindowSize, 4]);
  const { send } = await connection(small, ({ type, stream, payload }, server) => {
    if (type === FrameType.headers) server.write(accepted(stream));
    if (type !== FrameType.data) return;
    size += payload.length;
    // A frame has 6 bytes before its content.
    if (size === 16) server.write(message(stream));
    else server.write(frame(FrameType.windowUpdate, 0, stream, uint32(4)));
  });
  expect(await send(request)).toBeUndefined();
});
