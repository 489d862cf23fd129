import { once } from 'node:events';
import { constants, type ClientHttp2Session } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { until } from '../_adapters.ts';
import { startService } from '../_service.ts';
import { sharedService } from '../_shared.ts';
import { beginCall, callWith, ended, openSession, prefixed } from './_call.ts';
import { bytes, message, number } from './_protobuf.ts';

const running = sharedService();
let session: ClientHttp2Session;
beforeAll(() => {
  session = openSession(running().port);
});

const path = (method: string) => `/grpc.testing.TestService/${method}`;
/** A request for a response of a size, after milliseconds. */
const responseOf = (size: number, after = 0) =>
  bytes(2, message(number(1, size), number(2, after * 1000)));

const sent = async (frame: Buffer, headers: Record<string, string>) => {
  const stream = beginCall(session, path('EmptyCall'), headers);
  const end = ended(stream);
  stream.end(frame);
  return (await end).trailers;
};

describe('the deadline', () => {
  test('ends a call that waits for messages', async () => {
    const stream = beginCall(session, path('StreamingInputCall'), { 'grpc-timeout': '20m' });
    const { headers, reset } = await ended(stream);
    expect(headers['grpc-status']).toBe('4');
    expect(reset).toBe(0);
  });

  test('ends a call whose handler waits, after the messages before', async () => {
    const request = message(responseOf(3), responseOf(3, 60_000));
    const timeout = { 'grpc-timeout': '50000u' };
    const { headers, frames, trailers } = await callWith(
      session,
      path('StreamingOutputCall'),
      [request],
      timeout,
    );
    expect(headers).not.toHaveProperty('grpc-status');
    expect(frames).toHaveLength(1);
    expect(trailers['grpc-status']).toBe('4');
  });

  test('has passed already', async () => {
    const headers = { 'grpc-timeout': '0n' };
    const { trailers } = await callWith(session, path('StreamingInputCall'), [], headers);
    expect(['0', '4']).toContain(trailers['grpc-status']);
  });

  test('is in days to come', async () => {
    const headers = { 'grpc-timeout': '99999999H' };
    const { trailers } = await callWith(session, path('EmptyCall'), [''], headers);
    expect(trailers['grpc-status']).toBe('0');
  });

  test.each(['', '1', '1s', '100000000S', '-1S'])('cannot be "%s"', async (timeout) => {
    const headers = { 'grpc-timeout': timeout };
    const { trailers } = await callWith(session, path('EmptyCall'), [''], headers);
    expect(trailers['grpc-status']).toBe('13');
  });
});

describe('compressed messages', () => {
  test('without a coding', async () => {
    const trailers = await sent(prefixed(gzipSync(''), 1), {});
    expect(trailers['grpc-status']).toBe('13');
  });

  test('with a coding that is unknown', async () => {
    const trailers = await sent(prefixed('x', 1), { 'grpc-encoding': 'snappy' });
    expect(trailers['grpc-status']).toBe('12');
    expect(trailers['grpc-accept-encoding']).toBe('identity,gzip');
  });

  test.each([
    ['13', Buffer.from('not gzip')],
    ['13', gzipSync('x'.repeat(100)).subarray(0, 20)],
    ['8', gzipSync(Buffer.alloc(2 ** 21 + 1))],
    ['0', gzipSync(bytes(1, Buffer.alloc(2 ** 19)))],
    ['8', gzipSync(bytes(1, Buffer.alloc(2 ** 20)))],
  ])('status %s of one', async (status, content) => {
    const trailers = await sent(prefixed(content, 1), { 'grpc-encoding': 'gzip' });
    expect(trailers['grpc-status']).toBe(status);
  });
});

test('small messages that inflate to large ones are few', async () => {
  const content = gzipSync(bytes(1, bytes(2, Buffer.alloc(400_000))));
  const stream = beginCall(session, path('StreamingInputCall'), { 'grpc-encoding': 'gzip' });
  const end = ended(stream);
  for (let at = 0; at < 3; at++) stream.write(prefixed(content, 1));
  stream.end();
  expect((await end).trailers).toMatchObject({
    'grpc-status': '8',
    'grpc-message': 'a message exceeds the maximum of 200 times its size when inflated',
  });
});

describe('the memory of values', () => {
  const small = sharedService('--max-content-memory=8');

  test('is that of all calls', async () => {
    const own = openSession(small().port);
    const details = Array.from({ length: 4900 }, () => bytes(3, bytes(2, '')));
    // With a delay of 60,000 ms.
    const request = message(...details, Buffer.from('3100000000004ced40', 'hex'));
    const calls = Array.from({ length: 12 }, () => {
      const stream = beginCall(own, '/wirebin.v1.Wirebin/Respond');
      stream.end(prefixed(request));
      return ended(stream);
    });
    const { trailers } = await Promise.race(calls);
    expect(trailers['grpc-status']).toBe('14');
    expect(trailers['grpc-message']).toContain('memory for large content');
    own.destroy();
    await Promise.all(calls);
  });
});

describe('a status that is too large for a header section', () => {
  const large = 'é'.repeat(50_000);
  const metadata = message(bytes(1, 'a'), bytes(2, 'x'.repeat(30_000)));

  test.each([
    ['grpc.health.v1.Health/Check', bytes(1, large), '5', /^there is no service é+$/],
    ['grpcbin.GRPCBin/SpecificError', message(number(1, 9), bytes(2, large)), '9', /^é{2048}$/],
    [
      'wirebin.v1.Wirebin/Respond',
      message(number(1, 9), bytes(3, bytes(2, large))),
      '8',
      /^the trailers have 133\d{3} bytes, the maximum is 32768$/,
    ],
    [
      'wirebin.v1.Wirebin/Respond',
      message(number(1, 9), bytes(2, large), bytes(5, metadata)),
      '8',
      /^the trailers have /,
    ],
  ])('of %s', async (method, request, status, text) => {
    const other = openSession(running().port);
    const { trailers } = await callWith(other, `/${method}`, [request]);
    expect(trailers['grpc-status']).toBe(status);
    expect(decodeURIComponent(String(trailers['grpc-message']))).toMatch(text);
    expect((await callWith(other, path('EmptyCall'), [''])).trailers['grpc-status']).toBe('0');
  });

  test.each(['x-grpc-test-echo-initial', 'x-grpc-test-echo-trailing-bin'])(
    'because of %s',
    async (name) => {
      const { port } = await startService('--max-header-size', '100K');
      const echo = { [name]: 'A'.repeat(34_000) };
      const { trailers } = await callWith(openSession(port), path('EmptyCall'), [''], echo);
      expect(trailers['grpc-status']).toBe('8');
    },
  );
});

const values = (count: number) => ({ 'a-bin': ['AA,'.repeat(500), 'AA,'.repeat(count - 502)] });

test.each([
  ['Wirebin/Echo of wirebin', '/wirebin.v1.Wirebin/Echo'],
  ['a method that reads metadata', path('EmptyCall')],
])('more than 1,000 binary values in metadata: %s', async (_, target) => {
  const most = await callWith(session, target, [''], values(1000));
  expect(most.trailers['grpc-status']).toBe('0');
  const { headers } = await callWith(session, target, [''], values(1001));
  expect(headers['grpc-status']).toBe('8');
});

test('flags of a message that do not exist', async () => {
  const stream = beginCall(session, path('EmptyCall'));
  const end = ended(stream);
  stream.end(prefixed('', 2));
  expect((await end).headers['grpc-status']).toBe('13');
});

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

/** The number of timers once those that end soon, of earlier tests, have ended. */
async function lastingTimers(): Promise<number> {
  let least = timers();
  for (let round = 0; round < 10; round++) {
    await pause(30);
    least = Math.min(least, timers());
  }
  return least;
}

test('a client that cancels ends the work for it', async () => {
  const before = await lastingTimers();
  const stream = beginCall(session, path('FullDuplexCall'));
  const end = ended(stream);
  stream.write(prefixed(message(responseOf(1), responseOf(1, 60_000))));
  await once(stream, 'data');
  await until(() => timers() > before);
  stream.close(constants.NGHTTP2_CANCEL);
  await end;
  await until(() => timers() <= before);
});

test('an early end stops a client that is still sending, and loses no trailers', async () => {
  const stream = beginCall(session, path('StreamingInputCall'));
  const end = ended(stream);
  const expected = message(bytes(1, bytes(2, Buffer.alloc(1000))), bytes(2, number(1, 1)));
  stream.write(prefixed(expected));
  const { headers, reset } = await end;
  expect(headers['grpc-status']).toBe('3');
  expect(reset).toBe(constants.NGHTTP2_NO_ERROR);
});

test('an early end after messages', async () => {
  const stream = beginCall(session, path('FullDuplexCall'));
  const end = ended(stream);
  stream.write(prefixed(responseOf(200_000)));
  stream.write(prefixed(bytes(7, message(number(1, 9)))));
  const { frames, trailers } = await end;
  expect(frames).toHaveLength(1);
  expect(trailers['grpc-status']).toBe('9');
});

test('a client that reads nothing is not read from', async () => {
  const narrow = openSession(running().port);
  narrow.settings({ initialWindowSize: 0 });
  await once(narrow, 'localSettings');
  const stream = beginCall(narrow, path('FullDuplexCall'));
  stream.on('error', () => undefined);
  let written = 0;
  for (; written < 10_000_000; written += 1000) {
    const more = bytes(3, bytes(2, Buffer.alloc(1000)));
    if (!stream.write(prefixed(message(responseOf(10_000), more)))) {
      const drained = await Promise.race([once(stream, 'drain'), pause(200)]);
      if (!drained) break;
    }
  }
  expect(written).toBeLessThan(1_000_000);
  stream.close();
});

test('100,000 messages on one stream', async () => {
  const stream = beginCall(session, path('StreamingInputCall'));
  const end = ended(stream);
  const batch = Buffer.concat(
    Array.from({ length: 1000 }, () => prefixed(bytes(1, bytes(2, 'x')))),
  );
  for (let at = 0; at < 100; at++) if (!stream.write(batch)) await once(stream, 'drain');
  stream.end();
  const { frames, trailers } = await end;
  expect(trailers['grpc-status']).toBe('0');
  expect(frames).toEqual([[0, Buffer.from([8, 0xa0, 0x8d, 6])]]);
});

test('many early ends leave the connection open', async () => {
  const own = openSession(running().port);
  const tooLong = Buffer.concat([Buffer.from([0, 0, 0x20, 0, 1]), Buffer.alloc(1_000_000)]);
  const calls = Array.from({ length: 50 }, async () => {
    const stream = beginCall(own, path('UnaryCall'));
    const end = ended(stream);
    stream.write(tooLong);
    return (await end).trailers['grpc-status'];
  });
  expect(new Set(await Promise.all(calls))).toEqual(new Set(['8']));
  expect((await callWith(own, path('EmptyCall'), [''])).trailers['grpc-status']).toBe('0');
});
