import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { constants } from 'node:http2';
import { expect, test } from 'vitest';
import { prepareHttp2 } from '../../../src/bench/load/http2-request.ts';
import {
  Flag,
  frame,
  FrameType,
  goaway,
  SettingId,
  uint32,
} from '../../../src/wire/http2/frame.ts';
import { HpackDecoder } from '../../../src/wire/http2/hpack-decoder.ts';
import { fieldBlock } from '../../../src/wire/http2/hpack-encoder.ts';
import { connection, settings } from './_http2.ts';
import { REQUEST } from './_request.ts';

const BLOCK = fieldBlock([[':status', '200']]);
const HEADERS = frame(FrameType.headers, Flag.endHeaders, 1, BLOCK);
const DATA = frame(FrameType.data, 0, 1, Buffer.from('OK'));
const LAST_DATA = frame(FrameType.data, Flag.endStream, 1, Buffer.from('OK'));
const END = Flag.endHeaders | Flag.endStream;
const reset = (code: number, stream = 1): Buffer =>
  frame(FrameType.rstStream, 0, stream, uint32(code));
const answer = (stream: number): Buffer => frame(FrameType.headers, END, stream, BLOCK);
const headers = (fields: readonly (readonly [string, string])[], flags: number = Flag.endHeaders) =>
  frame(FrameType.headers, flags, 1, fieldBlock(fields));

/** Sends a request to a server that sends these frames. @returns why it failed */
async function send(...frames: readonly Buffer[]) {
  const { send: sendRequest } = await connection(settings(), ({ type }, server) => {
    if (type === FrameType.headers) server.write(Buffer.concat(frames));
  });
  return sendRequest();
}

test('a response', async () => {
  expect(await send(HEADERS, LAST_DATA)).toBeUndefined();
  // RFC 9113 8.1: the rest of the request is not needed.
  expect(await send(HEADERS, LAST_DATA, reset(0))).toBeUndefined();
});

test.each([
  [2, 'stream reset (INTERNAL_ERROR)'],
  [8, 'stream reset (CANCEL)'],
  [7, 'stream refused'],
])('a response that RST_STREAM with error code %i ends is not complete', async (code, reason) => {
  expect(await send(HEADERS, DATA, reset(code))).toBe(reason);
});

test('interim responses without end', async () => {
  const interim = frame(FrameType.headers, Flag.endHeaders, 1, fieldBlock([[':status', '103']]));
  expect(await send(...Array.from({ length: 1000 }, () => interim), HEADERS, LAST_DATA)).toBe(
    undefined,
  );
  expect(await send(...Array.from({ length: 1001 }, () => interim))).toBe(
    'too many interim responses',
  );
});

test.each<[string, Buffer[]]>([
  ['padding', [frame(FrameType.data, 0x9, 1, Buffer.from('\x03OK\0\0\0', 'latin1'))]],
  ['an empty DATA frame', [DATA, frame(FrameType.data, Flag.endStream, 1)]],
  ['trailers', [DATA, frame(FrameType.headers, END, 1, fieldBlock([['a', 'b']]))]],
  [
    'PRIORITY, and frames of unknown types',
    [
      frame(FrameType.priority, 0, 1, Buffer.alloc(5)),
      frame(0xbb, 0xff, 77, Buffer.alloc(16_384)),
      LAST_DATA,
    ],
  ],
])('a response with %s', async (_, frames) => {
  const block = headers([
    [':status', '200'],
    ['content-length', '2'],
  ]);
  expect(await send(block, ...frames)).toBeUndefined();
});

test('a field block in CONTINUATION frames, with padding and priority', async () => {
  const block = fieldBlock([
    [':status', '404'],
    ['a', 'b'.repeat(20_000)],
  ]);
  const first = Buffer.concat([
    Buffer.of(2),
    Buffer.alloc(5),
    block.subarray(0, 9),
    Buffer.alloc(2),
  ]);
  expect(
    await send(
      frame(FrameType.headers, Flag.padded | Flag.priority | Flag.endStream, 1, first),
      frame(FrameType.continuation, 0, 1, block.subarray(9, 16_000)),
      frame(FrameType.continuation, Flag.endHeaders, 1, block.subarray(16_000)),
    ),
  ).toBe('status 404');
});

const CONTENT_LENGTH_3 = headers([
  [':status', '200'],
  ['content-length', '3'],
]);

test.each<[string, string, Buffer[]]>([
  ['less content than declared', 'wrong length', [CONTENT_LENGTH_3, LAST_DATA]],
  [
    'two lengths',
    'wrong length',
    [
      headers([
        [':status', '200'],
        ['content-length', '3'],
        ['content-length', '2'],
      ]),
      LAST_DATA,
    ],
  ],
  ['trailers with a status', 'malformed response', [HEADERS, headers([[':status', '000']], END)]],
  ['no valid status', 'malformed response', [headers([[':status', '000']], END)]],
  ['DATA before HEADERS', 'malformed response', [LAST_DATA]],
  ['no status', 'malformed response', [headers([['a', 'b']])]],
  [
    'two statuses',
    'malformed response',
    [
      headers([
        [':status', '200'],
        [':status', '200'],
      ]),
    ],
  ],
  ['trailers without end', 'malformed response', [HEADERS, headers([['a', 'b']])]],
  ['an interim response as the last', 'malformed response', [headers([[':status', '103']], END)]],
  ['a frame of a stream that is idle', 'malformed frame', [answer(3)]],
  ['a promise', 'malformed frame', [frame(FrameType.pushPromise, Flag.endHeaders, 1, BLOCK)]],
  ['HEADERS on stream 0', 'malformed frame', [frame(FrameType.headers, END, 0, BLOCK)]],
  ['RST_STREAM of 3 bytes', 'malformed frame', [frame(FrameType.rstStream, 0, 1, Buffer.alloc(3))]],
  ['a frame above the limit', 'malformed frame', [HEADERS, frame(0, 1, 1, Buffer.alloc(16_385))]],
  ['more padding than content', 'malformed frame', [HEADERS, frame(0, 8, 1, Buffer.of(9, 0))]],
  ['CONTINUATION alone', 'malformed frame', [frame(FrameType.continuation, 4, 1, BLOCK)]],
  ['a frame in a block', 'malformed frame', [frame(FrameType.headers, 0, 1, BLOCK), DATA]],
  [
    'an invalid field block',
    'malformed frame',
    [frame(FrameType.headers, END, 1, Buffer.of(0xff))],
  ],
  ['an invalid setting', 'malformed frame', [settings([SettingId.maxFrameSize, 1])]],
  ['an empty WINDOW_UPDATE', 'malformed frame', [frame(FrameType.windowUpdate, 0, 0, uint32(0))]],
  [
    'too large a window',
    'malformed frame',
    [frame(FrameType.windowUpdate, 0, 0, uint32(2 ** 31 - 1))],
  ],
])('%s: %s', async (_, failure, frames) => {
  expect(await send(...frames)).toBe(failure);
});

test('field blocks without end', async () => {
  const empty = frame(FrameType.continuation, 0, 1);
  const start = frame(FrameType.headers, 0, 1, BLOCK);
  expect(await send(start, ...Array.from({ length: 1001 }, () => empty))).toBe('malformed frame');
  const full = frame(FrameType.continuation, 0, 1, Buffer.alloc(16_384, 0x88));
  expect(await send(start, ...Array.from({ length: 17 }, () => full))).toBe('malformed frame');
});

test('a server that speaks something else', async () => {
  const { send: sendRequest } = await connection(Buffer.from('HTTP/1.1 400\r\n\r\n'), () => {});
  expect(await sendRequest()).toBe('malformed frame');
});

test('PING and SETTINGS are acknowledged', async () => {
  const ping = frame(FrameType.ping, 0, 0, Buffer.from('12345678'));
  const { send: sendRequest } = await connection(settings(), ({ type, flags, payload }, server) => {
    if (type === FrameType.headers) server.write(ping);
    if (type === FrameType.ping && flags === Flag.ack && payload.toString() === '12345678')
      server.write(answer(1));
  });
  expect(await sendRequest()).toBeUndefined();
});

test('a server that asks for acknowledgements without end, and reads none, is left', async () => {
  const ping = frame(FrameType.ping, 0, 0, Buffer.alloc(8));
  const pings = Buffer.concat(Array.from({ length: 4000 }, () => ping));
  const { send: sendRequest } = await connection(settings(), ({ type }, server) => {
    if (type !== FrameType.headers) return;
    server.pause();
    const write = (): void => {
      while (!server.destroyed && server.write(pings));
    };
    server.on('drain', write);
    write();
  });
  expect(await sendRequest()).toBe('too many control frames');
});

test('no more streams than the server allows', async () => {
  let most = 0;
  const open = new Set<number>();
  const allowed = settings([SettingId.maxConcurrentStreams, 2]);
  const { load, send: sendRequest } = await connection(allowed, ({ type, stream }, server) => {
    if (type !== FrameType.headers) return;
    open.add(stream);
    most = Math.max(most, open.size);
    setTimeout(() => {
      open.delete(stream);
      server.write(answer(stream));
    }, 5);
  });
  // The first response comes after SETTINGS.
  await sendRequest();
  const failures = await Promise.all(Array.from({ length: 6 }, () => sendRequest()));
  expect(failures).toEqual(Array.from({ length: 6 }));
  expect(most).toBe(2);
  expect(load.isOpen).toBe(true);
});

test('GOAWAY refuses requests above its last stream, and others are finished', async () => {
  const {
    load,
    socket,
    send: sendRequest,
  } = await connection(settings(), ({ stream }, server) => {
    if (stream === 5) server.write(Buffer.concat([goaway(3, 0), answer(1), answer(3)]));
  });
  const closed = once(socket, 'close');
  const failures = await Promise.all([sendRequest(), sendRequest(), sendRequest()]);
  expect(failures).toEqual([undefined, undefined, 'stream refused']);
  expect(load.isOpen).toBe(false);
  await closed;
});

test('GOAWAY with an error says why the connection was closed', async () => {
  const { send: sendRequest } = await connection(settings(), ({ type }, server) => {
    if (type === FrameType.headers) server.end(goaway(1, constants.NGHTTP2_ENHANCE_YOUR_CALM));
  });
  expect(await sendRequest()).toBe('connection closed (ENHANCE_YOUR_CALM)');
});

test('GOAWAY with an error says why it refuses requests', async () => {
  const { send: sendRequest } = await connection(settings(), ({ type }, server) => {
    if (type === FrameType.headers) server.end(goaway(0, constants.NGHTTP2_ENHANCE_YOUR_CALM));
  });
  expect(await sendRequest()).toBe('stream refused (ENHANCE_YOUR_CALM)');
});

test('a response to HEAD has no content', async () => {
  const { send: sendRequest } = await connection(settings(), ({ type, stream }, server) => {
    if (type !== FrameType.headers) return;
    server.write(frame(FrameType.headers, Flag.endHeaders, stream, BLOCK));
    server.write(frame(FrameType.data, Flag.endStream, stream, Buffer.from('OK')));
  });
  expect(await sendRequest({ ...REQUEST, method: 'HEAD' })).toBe('wrong length');
});

test('frames on a stream that the server has ended, RFC 9113 5.1', async () => {
  const { load, send: sendRequest } = await connection(settings(), ({ type, stream }, server) => {
    // The second request is not responded to before the frame that breaks the rules.
    if (type === FrameType.headers) server.write(answer(1));
    if (stream === 3) server.write(answer(3));
  });
  expect(await sendRequest()).toBeUndefined();
  expect(await sendRequest()).toBe('malformed frame');
  expect(load.isOpen).toBe(false);
});

test('a connection on which nothing arrives any more carries no further request', async () => {
  const { load, send: sendRequest } = await connection(settings(), ({ type, stream }, server) => {
    if (type === FrameType.headers && stream === 1) server.write(answer(1));
  });
  expect(await sendRequest()).toBeUndefined();
  const given: (string | undefined)[] = [];
  const prepared = prepareHttp2(REQUEST);
  const pending = load.send(prepared, (failure) => given.push(failure));
  load.send(prepared, (failure) => given.push(failure));
  pending.abort('timeout');
  // The other request has time left.
  expect(given).toEqual(['timeout']);
  expect(load.isOpen).toBe(false);
});

test('requests on a connection that ends fail', async () => {
  const { send: sendRequest } = await connection(settings(), ({ type }, server) => {
    if (type === FrameType.headers) server.end();
  });
  expect(await sendRequest()).toBe('connection closed');
});

test('content waits for both windows', async () => {
  const content = Buffer.alloc(200_000, 'abc');
  const sizes = { 1: 0, 3: 0 };
  const bytes: Buffer[] = [];
  const small = settings([SettingId.initialWindowSize, 10]);
  const { send: sendRequest } = await connection(small, (each, server) => {
    const { type, flags, stream, payload } = each;
    // SETTINGS arrive before the first response.
    if (type === FrameType.headers && stream === 1) server.write(answer(1));
    if (type !== FrameType.data || stream !== 3) return;
    bytes.push(payload);
    sizes[3] += payload.length;
    if ((flags & Flag.endStream) !== 0) server.write(answer(3));
    else if (sizes[3] === 10) server.write(settings([SettingId.initialWindowSize, 1000]));
    else if (sizes[3] === 1000) server.write(frame(FrameType.windowUpdate, 0, 3, uint32(300_000)));
    else if (sizes[3] === 65_535)
      server.write(frame(FrameType.windowUpdate, 0, 0, uint32(300_000)));
  });
  expect(await sendRequest()).toBeUndefined();
  expect(await sendRequest({ ...REQUEST, method: 'POST', content })).toBeUndefined();
  expect(Buffer.concat(bytes).equals(content)).toBe(true);
});

test('a request in frames of the size that every server takes, with its stream in each', async () => {
  const value = 'x'.repeat(40_000);
  const decoder = new HpackDecoder();
  const { send: sendRequest } = await connection(settings(), ({ type, flags, payload }, server) => {
    if (type !== FrameType.headers && type !== FrameType.continuation) return;
    decoder.write(payload);
    if ((flags & Flag.endHeaders) === 0) return;
    const { fields, error } = decoder.end();
    const isWhole = !error && fields.some((field) => field.name === 'a' && field.value === value);
    server.write(isWhole ? answer(1) : reset(1));
  });
  expect(await sendRequest({ ...REQUEST, fields: [['a', value]] })).toBeUndefined();
});

test('a request that is given up does not disturb others', async () => {
  const { load, send: sendRequest } = await connection(settings(), (each, server) => {
    if (each.type === FrameType.rstStream)
      server.write(Buffer.concat([HEADERS, LAST_DATA, answer(3)]));
  });
  const failures: (string | undefined)[] = [];
  const pending = load.send(prepareHttp2(REQUEST), (failure) => void failures.push(failure));
  const other = sendRequest();
  pending.abort('timeout');
  expect(await other).toBeUndefined();
  expect(failures).toEqual(['timeout']);
});

test('a field block of the dynamic table is decoded after others that changed it', async () => {
  // :status 404 becomes entry 62; then another field does.
  const literal = Buffer.concat([Buffer.of(0x48, 3), Buffer.from('404')]);
  const other = Buffer.concat([
    Buffer.of(0xbe, 0x40, 1),
    Buffer.from('a'),
    Buffer.of(1),
    Buffer.from('b'),
  ]);
  const blocks = [literal, Buffer.of(0xbe), other, Buffer.of(0xbf)];
  const { send: sendRequest } = await connection(settings(), ({ type, stream }, server) => {
    if (type === FrameType.headers)
      server.write(
        frame(FrameType.headers, END, stream, blocks[(stream - 1) / 2] ?? Buffer.of(0xbe)),
      );
  });
  for (const _ of blocks) expect(await sendRequest()).toBe('status 404');
  // Entry 62 is now the other field.
  expect(await sendRequest()).toBe('malformed response');
});

test('content is compared with its digest, without padding', async () => {
  const padded = frame(FrameType.data, Flag.padded, 1, Buffer.from('\x03ab\0\0\0', 'latin1'));
  const last = frame(FrameType.data, Flag.padded | Flag.endStream, 1, Buffer.from('\x01c\0'));
  const { send: sendRequest } = await connection(settings(), ({ type }, server) => {
    // The frames arrive in pieces.
    if (type !== FrameType.headers) return;
    const bytes = Buffer.concat([HEADERS, padded, last]);
    server.setNoDelay();
    for (const byte of bytes) server.write(Buffer.of(byte));
  });
  const sha256 = createHash('sha256').update('abc').digest('hex');
  expect(await sendRequest({ ...REQUEST, sha256 })).toBeUndefined();
});
