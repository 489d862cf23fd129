import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Http2Reader } from '../../../src/inspect/http2/http2-reader.ts';
import type { SeenFrame } from '../../../src/inspect/http2/stream.ts';
import { until } from '../../_adapters.ts';
import * as h2 from '../../_frames.ts';
import { InspectedServer } from './_inspected.ts';
import { http2Reader } from './_reader.ts';

const SETTINGS = h2.frame(h2.SETTINGS, 0, 0);
const ACK = h2.frame(h2.SETTINGS, 1, 0);
const NO_CONTENT = h2.frame(h2.HEADERS, 5, 1, Buffer.from([0x89]));

const setting = (id: number, value: number): Buffer =>
  h2.frame(h2.SETTINGS, 0, 0, Buffer.concat([Buffer.from([0, id]), h2.uint32(value)]));

let server: InspectedServer;
beforeAll(async () => {
  server = await InspectedServer.start({
    settings: { maxConcurrentStreams: 3, initialWindowSize: 100_000 },
  });
});
afterAll(() => server.close());

test("a request to Node's server: streams, settings and windows", async () => {
  const { client, reader } = await server.connect();
  await until(() => client.got(h2.SETTINGS).length === 2);
  client.send(ACK, h2.post(1, '/'), h2.frame(h2.DATA, 0, 1, Buffer.alloc(1000)));
  await until(() => reader.stream(1)?.received === 1000);
  expect(reader.stream(1)).toMatchObject({ state: 'open', windows: { client: 99_000 } });
  client.send(h2.frame(h2.DATA, 9, 1, Buffer.concat([Buffer.from([9]), Buffer.alloc(9)])));
  await until(() => client.isDone(1));
  const stream = reader.stream(1);
  expect(stream).toMatchObject({
    state: 'closed',
    delivered: true,
    responded: true,
    received: 1000,
  });
  expect(stream?.frames.map(({ frame, windows }) => [frame.payload.kind, windows?.stream])).toEqual(
    [
      ['headers', undefined],
      ['data', 99_000],
      ['data', 98_990],
      ['headers', undefined],
    ],
  );
  const summary = reader.summary();
  expect(summary).toMatchObject({
    client: { window: 65_535 - 1010, lowestWindow: 65_535 - 1010 },
    server: {
      settings: {
        announced: [
          { name: 'MAX_CONCURRENT_STREAMS', value: 3 },
          { name: 'INITIAL_WINDOW_SIZE', value: 100_000 },
        ],
        counts: { frames: 1, acknowledged: 1 },
      },
      window: 65_535 + 2 ** 30,
      confused: undefined,
    },
    streams: 1,
    openStreams: 0,
    mostOpenStreams: 1,
    rejected: 0,
    connectionError: undefined,
  });
  const { frames } = summary.client;
  expect([frames.get(h2.HEADERS), frames.get(h2.DATA)]).toEqual([1, 2]);
  expect(summary.server.settings.announced[0]?.acknowledgedAt).toBeGreaterThan(0);
});

test.each([
  ['before the limit is acknowledged', Buffer.alloc(0), 'stream'],
  ['after it', ACK, 'connection'],
])('streams above the limit, %s', async (_, acknowledgement, scope) => {
  const { client, reader } = await server.connect();
  await until(() => client.got(h2.SETTINGS).length === 2);
  client.send(acknowledgement, ...[1, 3, 5, 7].map((id) => h2.post(id, '/')));
  await until(() => client.reset(7) !== undefined || client.goaway() !== undefined);
  expect(client.goaway() === undefined).toBe(scope === 'stream');
  expect(reader.summary()).toMatchObject({ mostOpenStreams: 4, aboveLimit: 1 });
  expect(reader.stream(7)).toMatchObject({
    aboveLimit: true,
    rejected: true,
    refusalReasons: [{ scope, section: 'RFC 9113 5.1.2' }],
  });
});

test.each<[string, Buffer, string]>([
  ['an even stream', h2.get(2, '/'), 'RFC 9113 5.1.1'],
  ['DATA on an idle stream', h2.frame(h2.DATA, 0, 5, Buffer.alloc(1)), 'RFC 9113 5.1'],
  ['DATA after END_STREAM', h2.frame(h2.DATA, 0, 1, Buffer.alloc(1)), 'RFC 9113 5.1'],
  ['HEADERS after END_STREAM', h2.get(1, '/'), 'RFC 9113 5.1'],
  [
    'a window above 2^31-1',
    h2.frame(h2.WINDOW_UPDATE, 0, 0, h2.uint32(2 ** 31 - 1)),
    'RFC 9113 6.9.1',
  ],
  ['an ACK too many', Buffer.concat([ACK, ACK]), 'RFC 9113 6.5.3'],
  ['invalid HPACK', h2.frame(h2.HEADERS, 5, 3, Buffer.from([0x80])), 'RFC 7541 6.1'],
])('%s ends the connection, with our reason', async (_, sent, section) => {
  const { client, reader } = await server.connect();
  // Its response is still to come when the next frames arrive.
  client.send(h2.get(1, '/'), sent);
  await until(() => client.ended || client.goaway() !== undefined);
  expect(reader.summary().connectionError?.section).toBe(section);
});

/** A reader with both sides' SETTINGS acknowledged. */
function opened(options: Parameters<typeof http2Reader>[0] = {}): Http2Reader {
  const reader = http2Reader(options);
  reader.received(h2.OPENING, 0);
  reader.sent(Buffer.concat([SETTINGS, ACK]), 0);
  reader.received(ACK, 0);
  return reader;
}

test('a new initial window changes those of open streams once it is acknowledged', () => {
  const reader = opened();
  reader.received(Buffer.concat([h2.post(1, '/'), setting(4, 10)]), 1);
  expect(reader.stream(1)?.windows).toEqual({ client: 65_535, server: 65_535 });
  reader.sent(ACK, 2);
  expect(reader.stream(1)?.windows).toEqual({ client: 65_535, server: 10 });
  reader.sent(h2.frame(h2.DATA, 0, 1, Buffer.alloc(11)), 3);
  expect(reader.stream(1)?.frames.at(-1)).toMatchObject({
    windows: { connection: 65_524, stream: -1 },
    violations: [{ scope: 'stream', code: 'FLOW_CONTROL_ERROR' }],
  });
});

test('a lower table size is required once it is acknowledged', () => {
  const reader = http2Reader();
  reader.received(h2.OPENING, 0);
  reader.sent(setting(1, 0), 0);
  reader.received(Buffer.concat([ACK, h2.get(1, '/')]), 0);
  expect(reader.summary().client.confused).toContain('RFC 7541 4.2');
  // Frames are read nevertheless.
  reader.received(h2.frame(h2.PING, 0, 0, Buffer.alloc(8)), 0);
  const { frames } = reader.summary().client;
  expect([frames.get(h2.HEADERS), frames.get(h2.PING)]).toEqual([1, 1]);
});

test('a reset by the server, with DATA of the client on its way', () => {
  const reader = opened();
  reader.received(h2.post(1, '/'), 0);
  reader.delivered(1);
  reader.sent(h2.frame(h2.RST_STREAM, 0, 1, h2.uint32(8)), 0);
  reader.received(h2.frame(h2.DATA, 1, 1, Buffer.alloc(5)), 0);
  expect(reader.stream(1)).toMatchObject({ state: 'closed', rejected: false, refusalReasons: [] });
  expect(reader.summary()).toMatchObject({ openStreams: 0, connectionError: undefined });
});

test('GOAWAY of the server rejects what it did not process', () => {
  const reader = opened();
  reader.received(Buffer.concat([h2.get(1, '/'), h2.get(3, '/')]), 0);
  reader.delivered(1);
  const last = Buffer.concat([h2.uint32(1), h2.uint32(1)]);
  reader.sent(h2.frame(h2.GOAWAY, 0, 0, last), 7);
  expect([...reader.streams()].map(({ id, rejected }) => [id, rejected])).toEqual([
    [1, false],
    [3, true],
  ]);
  expect(reader.summary().goaway).toEqual([
    { from: 'server', at: 7, lastStream: 1, code: 'PROTOCOL_ERROR', debugData: '' },
  ]);
});

test('frames, streams and bytes are kept up to their limits, and counted beyond', () => {
  const seen: SeenFrame[] = [];
  const reader = opened({ maxKept: () => Infinity, onFrame: (frame) => seen.push(frame) });
  for (let id = 1; id < 200; id += 2) {
    reader.received(h2.get(id, '/'), 0);
    reader.sent(h2.frame(h2.HEADERS, 5, id, Buffer.from([0x89])), 0);
  }
  for (let count = 0; count < 110; count++)
    reader.received(h2.frame(h2.PING, 0, 0, Buffer.alloc(8)), 0);
  const kept = [...reader.streams()];
  expect([kept.length, kept[0]?.id, kept.at(-1)?.id]).toEqual([64, 73, 199]);
  expect(reader.stream(0)).toMatchObject({ leftOut: 14 });
  expect(reader.stream(0)?.frames).toHaveLength(100);
  expect(reader.summary()).toMatchObject({
    streams: 100,
    openStreams: 0,
    mostOpenStreams: 1,
    streamsLeftOut: 36,
    framesLeftOut: 36 * 2 + 14,
  });
  expect(seen).toHaveLength(314);
});

test('frames of streams that are not open are kept with those of the connection', () => {
  const reader = opened();
  const priority = h2.frame(h2.PRIORITY, 0, 9, Buffer.from([0, 0, 0, 0, 1]));
  reader.received(Buffer.concat([priority, h2.get(11, '/')]), 0);
  const seen = reader.stream(0)?.frames.map(({ frame }) => [frame.type, frame.stream]);
  expect(seen?.at(-1)).toEqual([h2.PRIORITY, 9]);
  expect(reader.summary()).toMatchObject({ framesLeftOut: 0 });
});

test('open streams beyond the limit are forgotten, oldest first', () => {
  const reader = opened({ maxKept: () => Infinity });
  for (let id = 1; id < 600; id += 2) reader.received(h2.post(id, '/'), 0);
  const [first] = reader.streams();
  expect(first?.id).toBe(89);
  expect(reader.summary()).toMatchObject({ streams: 300, openStreams: 256, streamsLeftOut: 44 });
});

test('closed streams beyond their limit are forgotten, while open ones stay', () => {
  const reader = opened();
  reader.received(h2.post(1, '/'), 0);
  for (let id = 3; id < 143; id += 2) {
    reader.received(h2.get(id, '/'), 0);
    reader.sent(h2.frame(h2.HEADERS, 5, id, Buffer.from([0x89])), 0);
  }
  const [first, second] = reader.streams();
  expect([first?.id, second?.id]).toEqual([1, 15]);
  expect(reader.summary()).toMatchObject({ streams: 71, openStreams: 1, streamsLeftOut: 6 });
});

test('dynamic tables and incomplete header sections count', () => {
  const reader = opened();
  const before = reader.bytesKept;
  const literal = Buffer.concat([
    Buffer.from([0x40, 1, 0x61, 0x7f, 0x81, 0x06]),
    Buffer.alloc(900),
  ]);
  reader.received(h2.frame(h2.HEADERS, 0, 1, literal), 0);
  // The incomplete representation.
  expect(reader.bytesKept).toBeGreaterThan(before + 900);
  reader.received(h2.frame(h2.CONTINUATION, 4, 1, Buffer.alloc(124, 0x61)), 0);
  for (let id = 3; id < 300; id += 2)
    reader.received(h2.frame(h2.RST_STREAM, 0, id, Buffer.alloc(4)), 0);
  expect(reader.stream(1)?.frames).not.toEqual([]);
  const frames = [...reader.streams()].reduce((sum, { frames: { length } }) => sum + length, 0);
  expect(frames).toBe(2);
  expect(reader.bytesKept).toBeGreaterThan(before + 2000);
});

test('the frames kept take no more memory than the limit', () => {
  const reader = opened({ maxKept: () => 20_000 });
  const long = h2.get(1, `/${'a'.repeat(4000)}`).subarray(9);
  for (let id = 1; id < 100; id += 2) {
    reader.received(h2.frame(h2.HEADERS, 5, id, long), 0);
    reader.sent(h2.frame(h2.HEADERS, 5, id, NO_CONTENT.subarray(9)), 0);
  }
  const kept = [...reader.streams()].flatMap(({ frames }) => frames);
  expect(kept.length).toBeGreaterThan(2);
  expect(kept.length).toBeLessThan(12);
});

test('of the frame with which a connection ends, 1 KiB is kept and no fields', () => {
  const reader = opened({});
  expect(reader.errorFrame()).toBeUndefined();
  reader.received(h2.get(2, '/even'), 0);
  reader.received(h2.frame(h2.GOAWAY, 0, 1, Buffer.alloc(3000)), 0);
  expect(reader.errorFrame()).toMatchObject({ stream: 2, payload: { kind: 'headers' } });
  expect(reader.errorFrame()).not.toHaveProperty('ended');
  const other = opened({});
  other.received(h2.frame(h2.GOAWAY, 0, 1, Buffer.alloc(3000)), 0);
  expect(other.errorFrame()?.raw).toHaveLength(1024);
});
