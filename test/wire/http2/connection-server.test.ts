import { expect, test } from 'vitest';
import { Flag, frame, FrameType, uint32 } from '../../../src/wire/http2/frame.ts';
import { fieldBlock } from '../../../src/wire/http2/hpack-encoder.ts';
import type { ConnectionOptions } from '../../../src/wire/http2/connection.ts';
import { alone, exchange, frameLines, framesOf, joined, POST, type Side } from './_side.ts';

const GET = fieldBlock([
  [':method', 'GET'],
  [':scheme', 'http'],
  [':authority', 'x'],
  [':path', '/'],
]);
const get = (stream: number): Buffer =>
  frame(FrameType.headers, Flag.endHeaders | Flag.endStream, stream, GET);

/** A server with a stream that is half-closed by the client. */
function asked(options: Partial<ConnectionOptions> = {}): {
  server: Side;
  stream: Parameters<Side['onEnd']>[0];
} {
  const server = alone('server', options);
  server.connection.receive(get(1));
  const stream = server.streams.get(1);
  if (!stream) throw new Error('no stream');
  return { server, stream };
}

test('an event ends the reading of a piece, of which the rest is read later', () => {
  const server = alone('server');
  server.react = () => server.connection.pause();
  const bytes = Buffer.concat([get(1), get(3)]);
  const read = server.connection.receive(bytes);
  expect(read).toBe(get(1).length);
  expect([...server.streams.keys()]).toEqual([1]);
  expect(server.connection.receive(bytes.subarray(read))).toBe(get(3).length);
  expect([...server.streams.keys()]).toEqual([1, 3]);
});

test('a field block that has begun, until it is complete', () => {
  const server = alone('server');
  const bytes = Buffer.concat([
    frame(FrameType.headers, 0, 1, GET.subarray(0, 5)),
    frame(FrameType.continuation, Flag.endHeaders, 1, GET.subarray(5)),
  ]);
  const states = Array.from(bytes, (_, at) => {
    server.connection.receive(bytes.subarray(at, at + 1));
    return server.connection.isWithinBlock;
  });
  expect(states.indexOf(true)).toBe(8);
  expect(states.lastIndexOf(true)).toBe(bytes.length - 2);
});

test('DATA with padding, which flow control counts', () => {
  const { server, stream } = asked();
  stream.window = 20;
  stream.padding = 4;
  server.connection.sendHeaders(stream, [':status', '200'], false);
  expect(server.connection.send(stream, 'a', false)).toBe(true);
  expect(server.connection.send(stream, Buffer.from('bcdefghijklm'), false)).toBe(false);
  const data = (): string[] => frameLines(server.take()).filter((line) => line.startsWith('DATA'));
  // 1 + 4 bytes of padding in each.
  expect(data()).toEqual(['DATA 1 8 046100000000', 'DATA 1 8 0462636465666768696a00000000']);
  expect([stream.window, server.connection.waitingLength]).toEqual([0, 3]);
  server.connection.receive(frame(FrameType.windowUpdate, 0, 1, uint32(5)));
  expect(data()).toEqual([]);
  server.connection.receive(frame(FrameType.windowUpdate, 0, 1, uint32(100)));
  expect(data()).toEqual(['DATA 1 8 046b6c6d00000000']);
  expect(server.connection.waitingLength).toBe(0);
});

test('GOAWAY never names a higher stream than before', () => {
  const { server } = asked();
  server.connection.goAway(0, 0);
  server.connection.goAway(11);
  server.connection.receive(Buffer.concat([get(3), frame(FrameType.ping, 0, 0)]));
  const last = framesOf(server.take())
    .filter(({ type }) => type === FrameType.goaway)
    .map(({ payload }) => payload.readUInt32BE());
  expect(last).toEqual([0, 0, 0]);
});

test('bytes as they are, after which the table of the peer is emptied', () => {
  const { client, server } = joined();
  const stream = client.connection.open(POST, true, '');
  exchange(client, server);
  const received = server.streams.get(stream.id);
  if (!received) throw new Error('no stream');
  server.connection.sendHeaders(received, [':status', '200', 'x-a', 'b'], false);
  server.connection.sendRaw(frame(FrameType.data, Flag.endStream, stream.id, Buffer.from('raw')));
  server.connection.stopSending(received);
  exchange(client, server);
  expect(client.received(stream.id)).toBe('raw');
  expect([client.connection.streamCount, server.connection.streamCount]).toEqual([0, 0]);
  const next = client.connection.open(POST, true, '');
  exchange(client, server);
  const other = server.streams.get(next.id);
  if (!other) throw new Error('no stream');
  server.connection.sendHeaders(other, [':status', '200', 'x-a', 'b'], true);
  exchange(client, server);
  expect(client.events).toContain(`head ${next.id} :status=200 x-a=b end`);
});

test('credit of the connection on arrival, unless it is held', () => {
  const { client, server } = joined({}, { creditsOnArrival: true });
  server.consumes = false;
  const [first, second] = [1, 2].map(() => client.connection.open(POST, false, ''));
  if (!first || !second) throw new Error('no streams');
  client.connection.send(first, Buffer.alloc(60_000), false);
  exchange(client, server);
  expect(client.connection.sendWindow).toBeGreaterThan(5535);
  server.connection.holdCredit();
  client.connection.send(second, Buffer.alloc(60_000), false);
  exchange(client, server);
  const left = client.connection.sendWindow;
  server.connection.releaseCredit();
  exchange(client, server);
  expect(client.connection.sendWindow).toBeGreaterThan(left);
});

test('streams above the limit, and resets of closed streams, are told', () => {
  const told: string[] = [];
  const server = alone('server', { settings: [{ id: 3, value: 1 }] });
  Object.assign(server, {
    onRefused: (id: number) => told.push(`refused ${id}`),
    onLateReset: (id: number, code: number) => told.push(`reset ${id} ${code}`),
  });
  const reset = frame(FrameType.rstStream, 0, 1, uint32(8));
  server.connection.receive(Buffer.concat([get(1), get(3), reset, reset]));
  expect(told).toEqual(['refused 3', 'reset 1 8']);
});

test('content that is gathered is not copied, and the frames are the same', () => {
  const small = Buffer.alloc(10, 1);
  const large = Buffer.alloc(50_000, 2);
  const [copied, gathered] = [false, true].map((gathers) => {
    const { server, stream } = asked({ gathers });
    server.connection.sendHeaders(stream, [':status', '200'], false);
    for (const content of [small, large, 'text']) server.connection.send(stream, content, false);
    server.connection.send(stream, small, true);
    return server.connection.takeOutput(1e6);
  });
  expect(copied).toHaveLength(1);
  expect(Buffer.concat(gathered ?? []).equals(Buffer.concat(copied ?? []))).toBe(true);
  const own = gathered?.filter(({ buffer }) => buffer === large.buffer) ?? [];
  expect(own.reduce((sum, { length }) => sum + length, 0)).toBeGreaterThan(45_000);
});

test('of content that is gathered, a turn takes no more than a MiB', () => {
  const { server, stream } = asked({ gathers: true });
  const window = frame(FrameType.windowUpdate, 0, 0, uint32(2 ** 30));
  server.connection.receive(
    Buffer.concat([window, frame(FrameType.windowUpdate, 0, 1, uint32(2 ** 30))]),
  );
  server.connection.send(stream, Buffer.alloc(3 * 1024 ** 2), true);
  const lengths: number[] = [];
  for (let pieces = server.connection.takeOutput(65_536); pieces.length > 0;) {
    lengths.push(Buffer.concat(pieces).length);
    pieces = server.connection.takeOutput(65_536);
  }
  expect(lengths).toHaveLength(3);
  expect(Math.max(...lengths)).toBeLessThan(1024 ** 2 + 20_000);
});
