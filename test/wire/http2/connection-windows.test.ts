import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  Flag,
  frame,
  FrameType,
  MAX_WINDOW,
  SettingId,
  uint32,
} from '../../../src/wire/http2/frame.ts';
import { HpackEncoder } from '../../../src/wire/http2/hpack-encoder.ts';
import { piecesOf, place } from '../../fuzz/mutations.ts';
import { alone, exchange, framesOf, joined, POST, type Side, type Stream } from './_side.ts';

const window = (value: number) => ({ settings: [{ id: SettingId.initialWindowSize, value }] });

const settings = (value: number) =>
  frame(
    FrameType.settings,
    0,
    0,
    Buffer.concat([Buffer.of(0, SettingId.initialWindowSize), uint32(value)]),
  );

/** The DATA frames that a side has to send: stream, length and flags. */
const dataOf = (side: Side): number[][] =>
  framesOf(side.take())
    .filter(({ type }) => type === FrameType.data)
    .map(({ stream, payload, flags }) => [stream, payload.length, flags]);

/** A client whose server has these settings and gives no credit, and streams with content of so many bytes. */
function sending(initial: number, ...lengths: number[]): { client: Side; streams: Stream[] } {
  const { client } = joined({}, window(initial));
  const streams = lengths.map((length) => {
    const stream = client.connection.open(POST, false, '');
    client.connection.send(stream, Buffer.alloc(length, stream.id), true);
    return stream;
  });
  return { client, streams };
}

test('content waits for the window of its stream', () => {
  const { client, streams } = sending(10, 25);
  expect(streams[0]?.unsent).toBe(25);
  expect(dataOf(client)).toEqual([[1, 10, 0]]);
  client.connection.receive(frame(FrameType.windowUpdate, 0, 1, uint32(7)));
  expect(dataOf(client)).toEqual([[1, 7, 0]]);
  expect(streams[0]?.unsent).toBe(8);
  client.connection.receive(frame(FrameType.windowUpdate, 0, 1, uint32(100)));
  expect(client.events).toEqual([]);
  expect(dataOf(client)).toEqual([[1, 8, Flag.endStream]]);
  expect(client.events).toEqual(['sent 1']);
});

test('content waits for the window of the connection, a frame of each stream in turn', () => {
  const { client } = sending(MAX_WINDOW, 40_000, 40_000, 10);
  // What fits at once is sent at once, unless others wait.
  expect(dataOf(client)).toEqual([
    [1, 16_384, 0],
    [3, 16_384, 0],
    [5, 10, 1],
    [1, 16_384, 0],
    [3, 16_373, 0],
  ]);
  client.connection.receive(frame(FrameType.windowUpdate, 0, 0, uint32(100_000)));
  expect(dataOf(client)).toEqual([
    [1, 7232, 1],
    [3, 7243, 1],
  ]);
  expect(client.events).toEqual(['sent 5', 'sent 1', 'sent 3']);
});

test('a stream whose window is used up does not hold up others', () => {
  const { client } = sending(100, 200, 50);
  expect(dataOf(client)).toEqual([
    [1, 100, 0],
    [3, 50, 1],
  ]);
});

test('a window becomes negative when SETTINGS reduce it (RFC 9113 6.9.2)', () => {
  const { client, streams } = sending(100, 300);
  expect(dataOf(client)).toEqual([[1, 100, 0]]);
  client.connection.receive(settings(40));
  expect(streams[0]?.window).toBe(-60);
  client.connection.receive(frame(FrameType.windowUpdate, 0, 1, uint32(60)));
  expect(dataOf(client)).toEqual([]);
  client.connection.receive(frame(FrameType.windowUpdate, 0, 1, uint32(1)));
  expect(dataOf(client)).toEqual([[1, 1, 0]]);
  client.connection.receive(settings(90));
  expect(dataOf(client)).toEqual([[1, 50, 0]]);
});

test('credit that a smaller window makes due is returned when SETTINGS apply', () => {
  const { client, server } = joined({}, window(65_535));
  const stream = client.connection.open(POST, false, '');
  client.connection.send(stream, 'a'.repeat(16_000), false);
  exchange(client, server);
  // Less than a quarter of the window was consumed, so that no credit was due.
  expect(stream.window).toBe(49_535);
  server.connection.changeSettings([{ id: SettingId.initialWindowSize, value: 8_192 }]);
  exchange(client, server);
  expect(stream.window).toBe(8_192);
});

test('waiting content is dropped with its stream', () => {
  const { client, streams } = sending(10, 25, 25);
  const [first] = streams;
  if (first) client.connection.reset(first, 8);
  client.connection.receive(frame(FrameType.rstStream, 0, 3, uint32(8)));
  expect(dataOf(client)).toEqual([]);
  expect(client.events).toEqual(['reset 3 8']);
});

test('trailers and the end come after content that waits, and nothing after them', () => {
  const { client, server } = joined({}, window(10));
  server.consumes = false;
  const stream = client.connection.open(POST, false, '');
  expect(client.connection.send(stream, 'a'.repeat(25), false)).toBe(false);
  expect(client.connection.send(stream, 'b', false)).toBe(false);
  client.connection.sendTrailers(stream, ['x-a', 'b']);
  client.connection.send(stream, 'c', true);
  exchange(client, server);
  expect(server.received(1)).toBe('a'.repeat(10));
  const own = server.streams.get(1);
  if (own) for (let credit = 10; credit > 0; credit--) exchange(client, server);
  if (own) server.connection.returnCredit(own, 10);
  exchange(client, server);
  if (own) server.connection.returnCredit(own, 10);
  exchange(client, server);
  expect(server.received(1)).toBe(`${'a'.repeat(25)}b`);
  expect(server.events.slice(1)).toEqual(['trailers 1 x-a=b end', 'end 1']);
});

test('content that is given when earlier content was sent follows it', () => {
  const { client, server } = joined({}, window(10));
  const stream = client.connection.open(POST, false, '');
  let given = 0;
  client.react = (event) => {
    if (event === 'sent 1' && ++given < 5)
      client.connection.send(stream, 'x'.repeat(15), given === 4);
  };
  client.connection.send(stream, 'x'.repeat(15), false);
  exchange(client, server);
  expect(server.received(1)).toHaveLength(75);
  expect(server.events.at(-1)).toBe('end 1');
});

test('credit is returned when content is consumed, by a quarter of a window; that of padding at once', () => {
  const { server } = joined({}, window(20));
  const side = alone('server', window(20));
  const headers = frame(FrameType.headers, Flag.endHeaders, 1, new HpackEncoder().encode(POST));
  side.consumes = false;
  side.connection.receive(Buffer.concat([headers, frame(FrameType.data, 0, 1, Buffer.alloc(4))]));
  const stream = side.streams.get(1);
  if (!stream) throw new Error('no stream');
  side.connection.returnCredit(stream, 4);
  expect(side.take()).toHaveLength(0);
  side.connection.receive(frame(FrameType.data, Flag.padded, 1, Buffer.of(2, 1, 0, 0)));
  expect(
    framesOf(side.take()).map(({ stream: id, payload }) => [id, payload.readUInt32BE()]),
  ).toEqual([[1, 7]]);
  expect(server.violation).toBeUndefined();
});

test('each frame of 16 KiB in the default window returns its credit', () => {
  const side = alone('server');
  const headers = frame(FrameType.headers, Flag.endHeaders, 1, new HpackEncoder().encode(POST));
  side.connection.receive(headers);
  side.take();
  for (const size of [16_384, 16_384, 16_384, 16_383]) {
    side.connection.receive(frame(FrameType.data, 0, 1, Buffer.alloc(size)));
    const updates = framesOf(side.take());
    expect(updates.map(({ stream, payload }) => [stream, payload.readUInt32BE()])).toEqual([
      [1, size],
      [0, size],
    ]);
  }
});

test('the credit of content that was not consumed is returned when its stream is reset', () => {
  const side = alone('server');
  side.consumes = false;
  const encoder = new HpackEncoder();
  for (let id = 1; id <= 19; id += 2) {
    const headers = frame(FrameType.headers, Flag.endHeaders, id, encoder.encode(POST));
    const data = frame(FrameType.data, 0, id, Buffer.alloc(16_000));
    side.connection.receive(
      Buffer.concat([headers, data, frame(FrameType.rstStream, 0, id, uint32(8))]),
    );
    const stream = side.streams.get(id);
    // Nothing is returned twice.
    if (stream) side.connection.returnCredit(stream, 16_000);
  }
  const updates = framesOf(side.take()).filter(({ type }) => type === FrameType.windowUpdate);
  expect(updates.map(({ stream, payload }) => [stream, payload.readUInt32BE()])).toEqual(
    Array.from({ length: 5 }, () => [0, 32_000]),
  );
  expect(side.violation).toBeUndefined();
});

test('all content arrives in order, whatever windows, sizes and pieces are', () => {
  const sizes = fc.array(fc.array(fc.integer({ min: 0, max: 50_000 }), { maxLength: 5 }), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(
      sizes,
      fc.integer({ min: 1, max: 70_000 }),
      fc.array(place),
      (all, initial, cuts) => {
        const { client, server } = joined({}, window(initial));
        const expected = all.map((lengths, at) => {
          const stream = client.connection.open(POST, false, '');
          let text = '';
          for (const [index, length] of lengths.entries()) {
            const piece = String.fromCharCode(97 + ((at + index) % 26)).repeat(length);
            text += piece;
            client.connection.send(stream, index % 2 === 0 ? piece : Buffer.from(piece), false);
          }
          client.connection.send(stream, '', true);
          return text;
        });
        exchange(client, server, (bytes) => piecesOf(bytes, cuts));
        for (const [at, text] of expected.entries()) {
          expect(server.received(2 * at + 1) === text).toBe(true);
          expect(server.events).toContain(`end ${2 * at + 1}`);
        }
      },
    ),
    { numRuns: 60 },
  );
});
