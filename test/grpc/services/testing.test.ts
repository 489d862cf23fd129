import type { ClientHttp2Session } from 'node:http2';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { sharedService } from '../../_shared.ts';
import { beginCall, callWith, ended, openSession, prefixed } from '../_call.ts';
import { bytes, message, number } from '../_protobuf.ts';

const running = sharedService();
let session: ClientHttp2Session;
beforeAll(() => {
  session = openSession(running().port);
});

const call = (
  method: string,
  messages: readonly (Uint8Array | string)[],
  headers: Record<string, string> = {},
) => callWith(session, `/grpc.testing.TestService/${method}`, messages, headers);

const ECHO = { 'x-grpc-test-echo-initial': 'initial', 'x-grpc-test-echo-trailing-bin': 'q6ur' };
const responseOf = (size: number) => bytes(1, bytes(2, Buffer.alloc(size)));
const parameters = (size: number, ...more: Buffer[]) => bytes(2, message(number(1, size), ...more));
const TRUE = number(1, 1);
const FALSE = Buffer.alloc(0);

test('EmptyCall', async () => {
  const { frames, trailers } = await call('EmptyCall', ['']);
  expect(frames).toEqual([[0, Buffer.alloc(0)]]);
  expect(trailers['grpc-status']).toBe('0');
});

test('UnaryCall has a payload of the size that is asked for, and the instance', async () => {
  const { frames } = await call('UnaryCall', [message(number(2, 314_159), number(9, 1))]);
  const [[flags, content] = [0, Buffer.alloc(0)]] = frames;
  expect(flags).toBe(0);
  const size = responseOf(314_159).length;
  expect(content.subarray(0, size).equals(responseOf(314_159))).toBe(true);
  expect(content.subarray(size).toString()).toMatch(/^"\$[\w-]{36}$/);
});

test.each([
  ['size', message(number(2, 2 ** 21 + 1)), '3'],
  ['payload type', message(number(1, 7)), '3'],
  ['message', Buffer.from([0x0a, 0x7f]), '13'],
  ['number of values', Buffer.alloc(140_000, Buffer.from([0x78, 1])), '8'],
])('UnaryCall refuses a %s that cannot be', async (_, request, status) => {
  const { headers } = await call('UnaryCall', [request]);
  expect(headers['grpc-status']).toBe(status);
});

test.each(['EmptyCall', 'UnaryCall', 'StreamingOutputCall', 'FullDuplexCall', 'HalfDuplexCall'])(
  '%s returns metadata',
  async (method) => {
    const { headers, trailers } = await call(method, [''], ECHO);
    expect(headers).toHaveProperty('x-grpc-test-echo-initial', 'initial');
    expect(trailers).toHaveProperty('x-grpc-test-echo-trailing-bin', 'q6ur');
    expect(trailers['grpc-status']).toBe('0');
  },
);

test.each(['UnaryCall', 'StreamingOutputCall', 'FullDuplexCall'])(
  '%s ends with the status that is asked for',
  async (method) => {
    const text = '\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n';
    const status = bytes(7, message(number(1, 2), bytes(2, text)));
    const { trailers } = await call(method, [status]);
    expect(trailers['grpc-status']).toBe('2');
    expect(decodeURIComponent(String(trailers['grpc-message']))).toBe(text);
  },
);

test.each(['StreamingOutputCall', 'FullDuplexCall', 'HalfDuplexCall'])(
  '%s sends a response for each of the parameters',
  async (method) => {
    const request = message(parameters(31_415), parameters(9), parameters(0, number(2, 1000)));
    const { frames } = await call(method, [request]);
    const expected = [31_415, 9].map((size) => responseOf(size));
    expect(frames.map(([, content]) => content)).toEqual([...expected, Buffer.from([10, 0])]);
  },
);

test('StreamingInputCall adds up', async () => {
  const sent = [27_182, 8, 1828, 45_904].map((size) => bytes(1, bytes(2, Buffer.alloc(size))));
  const { frames } = await call('StreamingInputCall', sent);
  expect(frames).toEqual([[0, number(1, 74_922)]]);
});

test('FullDuplexCall responds before the request has ended', async () => {
  const stream = beginCall(session, '/grpc.testing.TestService/FullDuplexCall');
  const end = ended(stream);
  let received = 0;
  for (const size of [31_415, 9, 2653, 58_979]) {
    const whole = received + 5 + responseOf(size).length;
    stream.write(prefixed(parameters(size)));
    await new Promise<void>((resolve) => {
      const count = (piece: Buffer): void => {
        received += piece.length;
        if (received < whole) return;
        stream.off('data', count);
        resolve();
      };
      stream.on('data', count);
    });
    expect(received).toBe(whole);
  }
  stream.end();
  expect((await end).trailers['grpc-status']).toBe('0');
});

test.each([
  ['content', Array.from({ length: 6 }, () => parameters(2_000_000))],
  ['waits', [parameters(0, number(2, 200_000_000)), parameters(0, number(2, 200_000_000))]],
  ['negative waits', [parameters(0, number(2, 2 ** 32 - 1))]],
  ['a negative status', [bytes(7, number(1, 2 ** 32 - 1))]],
])('%s that StreamingOutputCall refuses before the first response', async (_, request) => {
  const { headers } = await call('StreamingOutputCall', [message(...request)]);
  expect(headers['grpc-status']).toBe('3');
});

test('HalfDuplexCall keeps a limited number of responses', async () => {
  const many = Buffer.concat(Array.from({ length: 600 }, () => parameters(0)));
  const { headers } = await call('HalfDuplexCall', [many, many]);
  expect(headers['grpc-status']).toBe('8');
});

test.each([
  'TestService/UnimplementedMethod',
  'TestService/UnimplementedCall',
  'UnimplementedService/UnimplementedCall',
])('%s', async (path) => {
  const { headers } = await callWith(session, `/grpc.testing.${path}`, ['']);
  expect(headers['grpc-status']).toBe('12');
});

describe('compression', () => {
  const GZIP = { 'grpc-encoding': 'gzip', 'grpc-accept-encoding': 'identity,deflate,gzip' };
  const unary = async (request: Buffer, isCompressed: boolean, headers = GZIP) => {
    const stream = beginCall(session, '/grpc.testing.TestService/UnaryCall', headers);
    const end = ended(stream);
    stream.end(isCompressed ? prefixed(gzipSync(request), 1) : prefixed(request));
    return end;
  };

  test('of responses, one by one', async () => {
    const request = message(
      parameters(31_415, bytes(3, TRUE)),
      parameters(92_653, bytes(3, FALSE)),
    );
    const { headers, frames } = await call('StreamingOutputCall', [request], GZIP);
    expect(headers['grpc-encoding']).toBe('gzip');
    const [[first, one] = [0, Buffer.alloc(0)], [second, two] = [0, Buffer.alloc(0)]] = frames;
    expect([first, second]).toEqual([1, 0]);
    expect(one.length).toBeLessThan(1000);
    expect(gunzipSync(one)).toEqual(responseOf(31_415));
    expect(two).toEqual(responseOf(92_653));
  });

  test('only if the client accepts it', async () => {
    const request = message(number(2, 1000), bytes(6, TRUE));
    const { headers, frames } = await unary(request, false, {
      ...GZIP,
      'grpc-accept-encoding': 'identity',
    });
    expect(frames[0]?.[0]).toBe(0);
    expect(headers).not.toHaveProperty('grpc-encoding');
    const accepted = await unary(request, false);
    expect(accepted.frames[0]?.[0]).toBe(1);
  });

  test.each([
    [true, true, '0'],
    [true, false, '3'],
    [false, true, '3'],
    [false, false, '0'],
  ])('expected %s of a request, %s: status %s', async (expected, isCompressed, status) => {
    const { trailers } = await unary(bytes(8, expected ? TRUE : FALSE), isCompressed);
    expect(trailers['grpc-status']).toBe(status);
  });
});

test('CacheableUnaryCall may be cached, and differs each time', async () => {
  const responses = [
    await call('CacheableUnaryCall', ['']),
    await call('CacheableUnaryCall', ['']),
  ];
  expect(responses[0]?.headers['cache-control']).toBe('max-age=60, public');
  const [first, second] = responses.map(({ frames }) => String(frames[0]?.[1]));
  expect(first).not.toBe(second);
});
