import { once } from 'node:events';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ClientHttp2Session } from 'node:http2';
import { until } from '../_adapters.ts';
import { differs } from '../_engine.ts';
import * as h2 from '../_frames.ts';
import { openSocket } from '../_raw.ts';
import { sharedService } from '../_shared.ts';
import { beginCall, callWith, ended, openSession, prefixed } from './_call.ts';
import { CALL_FAULTS } from '../../src/grpc/faults.ts';

const running = sharedService();
let session: ClientHttp2Session;
beforeEach(() => {
  session = openSession(running().port);
});

/** Respond with a message of 100 bytes of payload, which has 104 in all. */
const REQUEST = Buffer.from([0x40, 0x64]);
const SIZE = 104;

const faulty = (name: string, path = '/wirebin.v1.Wirebin/Respond', request = REQUEST) =>
  callWith(session, path, [request], { 'wirebin-fault': name });

/** The content as bytes. */
async function contentOf(name: string) {
  const stream = beginCall(session, '/wirebin.v1.Wirebin/Respond', { 'wirebin-fault': name });
  const pieces: Buffer[] = [];
  let trailers: Record<string, unknown> | undefined;
  stream.on('data', (piece: Buffer) => pieces.push(piece));
  stream.on('trailers', (got) => (trailers = got));
  stream.on('error', () => undefined);
  stream.end(prefixed(REQUEST));
  await once(stream, 'close');
  return { content: Buffer.concat(pieces), trailers, reset: stream.rstCode };
}

test('goaway: the response is complete, and then the connection ends', async () => {
  const goaway = once(session, 'goaway');
  const { frames, trailers } = await faulty('goaway');
  expect(frames).toHaveLength(1);
  expect(trailers['grpc-status']).toBe('0');
  await goaway;
  await once(session, 'close');
});

test.each([
  ['rst_after_header', 0],
  ['rst_during_data', 6],
  ['rst_after_data', 5 + SIZE],
])('%s', async (name, length) => {
  const { content, trailers } = await contentOf(name);
  expect(content).toHaveLength(length);
  expect(trailers).toBeUndefined();
});

test('ping: each is acknowledged', async () => {
  let pings = 0;
  session.on('ping', () => pings++);
  const size = 100_000;
  const request = Buffer.from([0x12, 0x04, 0x08, 0xa0, 0x8d, 0x06]);
  const path = '/grpc.testing.TestService/StreamingOutputCall';
  const { frames, trailers } = await faulty('ping', path, request);
  expect(frames[0]?.[1].length).toBeGreaterThan(size);
  expect(trailers['grpc-status']).toBe('0');
  expect(pings).toBeGreaterThanOrEqual(7);
});

test('max_streams: one stream at a time', async () => {
  await faulty('max_streams');
  expect(session.remoteSettings.maxConcurrentStreams).toBe(1);
});

test.each(['data_frame_padding', 'no_df_padding_sanity_test'])(
  '%s: a response longer than the windows',
  async (name) => {
    const size = 300_000;
    const request = Buffer.from([0x10, 0xe0, 0xa7, 0x12]);
    const { frames, trailers } = await faulty(name, '/grpc.testing.TestService/UnaryCall', request);
    expect(frames[0]?.[1].length).toBeGreaterThan(size);
    expect(trailers['grpc-status']).toBe('0');
  },
);

test('content of other calls is not taken for SETTINGS during data_frame_padding', async () => {
  const errors: unknown[] = [];
  session.on('error', (error) => errors.push(error));
  const path = '/grpc.testing.TestService/UnaryCall';
  const request = Buffer.from([0x10, 0xe0, 0xa7, 0x12]);
  const padded = faulty('data_frame_padding', path, request);
  const others = setInterval(() => {
    // The end of the prefix, four bytes, and the next frame, together like an empty SETTINGS frame.
    beginCall(session, path)
      .on('error', () => undefined)
      .write(prefixed(Buffer.alloc(4)));
  }, 1);
  const { trailers } = await padded;
  clearInterval(others);
  // An acknowledgement without SETTINGS ends a session of Node.
  await new Promise((resolve) => session.ping(resolve));
  expect([trailers['grpc-status'], errors]).toEqual(['0', []]);
});

test('DATA in small frames waits for WINDOW_UPDATE', async () => {
  const size = 100_000;
  const client = new h2.FrameClient(await openSocket(running().port));
  const fields: [string, string][] = [
    ['content-type', 'application/grpc'],
    ['wirebin-fault', 'no_df_padding_sanity_test'],
  ];
  const request = prefixed(Buffer.from([0x10, 0xa0, 0x8d, 0x06]));
  client.send(
    h2.post(1, '/grpc.testing.TestService/UnaryCall', ...fields),
    h2.frame(h2.DATA, h2.END_STREAM, 1, request),
  );
  const received = (): number => client.content(1).length;
  await until(() => received() === (differs('DATA in small frames') ? 65_535 : 65_500));
  const more = h2.uint32(size);
  client.send(h2.frame(h2.WINDOW_UPDATE, 0, 0, more), h2.frame(h2.WINDOW_UPDATE, 0, 1, more));
  await until(() => client.isDone(1));
  expect(received()).toBeGreaterThan(size);
});

describe('of messages and status', () => {
  test('trailers-only', async () => {
    const { headers, frames } = await faulty('trailers-only');
    expect([headers['grpc-status'], frames]).toEqual(['0', []]);
  });

  test('missing-trailers', async () => {
    const { content, trailers } = await contentOf('missing-trailers');
    expect([content.length, trailers]).toEqual([5 + SIZE, undefined]);
  });

  test('status-in-head', async () => {
    const { headers, frames } = await faulty('status-in-head');
    expect([headers['grpc-status'], frames.length]).toEqual(['0', 1]);
  });

  test('content-type', async () => {
    expect((await faulty('content-type')).headers['content-type']).toBe('text/html');
  });

  test('http-status', async () => {
    const stream = beginCall(session, '/grpc.testing.TestService/EmptyCall', {
      'wirebin-fault': 'http-status',
    });
    stream.end(prefixed());
    const [headers] = await once(stream, 'response');
    expect(headers).toMatchObject({ ':status': 503, 'content-type': 'text/plain' });
    expect(headers).not.toHaveProperty('grpc-status');
  });

  test.each([
    ['cut-prefix', 3],
    ['cut-message', 5 + SIZE / 2],
  ])('%s', async (name, length) => {
    const { content, trailers } = await contentOf(name);
    expect(content).toHaveLength(length);
    expect(trailers).toMatchObject({ 'grpc-status': '0' });
  });

  test('too-long', async () => {
    const { content } = await contentOf('too-long');
    expect(content.readUInt32BE(1)).toBe(2 ** 32 - 1);
    expect(content).toHaveLength(5 + SIZE);
  });

  test('compressed', async () => {
    const fields = { 'wirebin-fault': 'compressed', 'grpc-accept-encoding': 'gzip' };
    const path = '/wirebin.v1.Wirebin/Respond';
    const { headers, frames } = await callWith(session, path, [REQUEST], fields);
    expect(headers).not.toHaveProperty('grpc-encoding');
    expect(frames[0]?.[0]).toBe(1);
  });
});

test.each([...CALL_FAULTS.keys()])('%s of a call that fails', async (name) => {
  const stream = beginCall(session, '/grpc.testing.TestService/UnimplementedCall', {
    'wirebin-fault': name,
  });
  stream.end(prefixed());
  await ended(stream);
});

test('an unknown one', async () => {
  const { headers } = await faulty('a');
  expect(headers).toMatchObject({
    'grpc-status': '3',
    'grpc-message': expect.stringMatching(/^there is no fault a; there are goaway, /),
  });
});
