import { differs } from '../_engine.ts';
import { expect, test } from 'vitest';
import { until } from '../_adapters.ts';
import * as h2 from '../_frames.ts';
import type { SentEvent } from '../_events.ts';
import { converse, GET, LAST, openSocket } from '../_raw.ts';
import { Reader } from '../_tap.ts';
import { closedStory, get, idAfter } from './_story.ts';
import { sharedService } from '../_shared.ts';
import { echoOf } from '../_echo.ts';

const running = sharedService('--inspect', '--tap', '--conn-headers');

async function openReader(query: string): Promise<Reader> {
  const reader = await Reader.open('h2', running().port, query);
  reader.allow();
  return reader;
}

/** One request over HTTP/2 and TLS. @returns the connection's id */
async function visit(): Promise<string> {
  const client = new h2.FrameClient(await openSocket(running().port, ['h2']));
  client.send(h2.get(1, '/get'));
  await until(() => client.isDone(1));
  const { conn } = echoOf(client.content(1));
  client.socket.destroy();
  await closedStory(running(), conn.id);
  return conn.id;
}

const kindsOf = (events: readonly SentEvent[]): Set<string | undefined> =>
  new Set(events.map(({ event }) => event));

test('frames and records of both sides, but not those of their reader', async () => {
  const reader = await openReader('?kind=frame,record,closed');
  const id = await visit();
  await until(() => reader.events.some(({ event }) => event === 'closed'));
  const { events } = reader;
  expect(kindsOf(events)).toEqual(new Set(['frame', 'record', 'closed']));
  // The connection that asks for the story is closed as well.
  const wire = events.filter(({ event }) => event !== 'closed');
  expect(new Set(wire.map(({ data }) => data['conn']))).toEqual(new Set([id]));
  const frames = events.filter(({ event }) => event === 'frame').map(({ data }) => data);
  expect(frames).toContainEqual(
    expect.objectContaining({ from: 'client', type: 'HEADERS', stream: 1 }),
  );
  expect(frames).toContainEqual(
    expect.objectContaining({ from: 'server', type: 'SETTINGS', stream: 0 }),
  );
  const records = events.filter(({ event }) => event === 'record').map(({ data }) => data);
  expect(records[0]).toMatchObject({ from: 'client', record: 0, type: 'handshake' });
  expect(records.some(({ from }) => from === 'server')).toBe(true);
  reader.socket.destroy();
});

test('without kind there are neither', async () => {
  const wire = await openReader('?kind=frame,record');
  const reader = await openReader('');
  await visit();
  await until(() => reader.events.some(({ event }) => event === 'closed'));
  expect(kindsOf(wire.events)).toEqual(new Set(['frame', 'record']));
  expect(kindsOf(reader.events)).toEqual(new Set(['opened', 'handshake', 'request', 'closed']));
  wire.socket.destroy();
  reader.socket.destroy();
});

/** The `rejected` event of a connection. */
async function rejectedOf(act: () => Promise<void>): Promise<Record<string, unknown>> {
  const reader = await openReader('?kind=rejected');
  await act();
  await until(() => reader.events.length > 0);
  reader.socket.destroy();
  return reader.events[0]?.data ?? {};
}

test('rejected: the whole head of the message, though it arrived in pieces after another one', async () => {
  const refused = `GET /a?pin=secret HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(2000)}\r\nA\x01: b\r\n\r\n`;
  const event = await rejectedOf(async () => {
    const socket = await openSocket(running().port);
    socket.once('end', () => socket.end());
    await converse(socket, GET('/get') + refused.slice(0, 30), (text) => text.endsWith('}\n'));
    socket.write(refused.slice(30, 1500));
    await get(running().port, '/get');
    await converse(socket, refused.slice(1500));
  });
  expect(event).toMatchObject({
    method: 'GET',
    path: '/a',
    query: 'pin=[redacted]',
    bytes: refused.replace('secret', '[redacted]'),
  });
});

const encoded = (...fields: [string, string][]): string => h2.fieldBlock(fields).toString('latin1');

test('rejected on HTTP/2: method, path, query and the frames, without secrets', async () => {
  const refused = h2.get(1, '/a/b?pin=secret', ['cookie', 'secret'], ['connection', 'close']);
  const block = refused.subarray(9);
  // Within the field of the secret.
  const cut = block.indexOf('cookie') + 'cookie'.length;
  const headers = h2.frame(h2.HEADERS, h2.END_STREAM, 1, block.subarray(0, cut));
  const continuation = h2.frame(h2.CONTINUATION, h2.END_HEADERS, 1, block.subarray(cut));
  const event = await rejectedOf(async () => {
    const client = new h2.FrameClient(await openSocket(running().port));
    client.send(headers, continuation);
    await until(() => client.reset(1) !== undefined);
    client.socket.end();
  });
  expect(event).toMatchObject({ stream: 1, method: 'GET', path: '/a/b', query: 'pin=[redacted]' });
  expect(event['bytes']).toBe(
    headers.toString('latin1', 0, 9) +
      encoded([':method', 'GET'], [':scheme', 'http'], [':authority', 'x']) +
      // The path and the beginning of the cookie.
      '[redacted][redacted]' +
      continuation.toString('latin1', 0, 9) +
      '[redacted]' +
      encoded(['connection', 'close']),
  );
});

const reasonOf = (stream: number, why: string): string =>
  `stream ${stream} never became a request: ${differs('A stream that is refused') ? '' : 'refused by nghttp2: '}${why}`;

test('rejected on HTTP/2: at once, once, and with the reason of the story', async () => {
  const reader = await openReader('?kind=rejected');
  const client = new h2.FrameClient(await openSocket(running().port));
  // With a valid request between them, and streams that the client skips.
  client.send(
    h2.get(1, '/a', ['te', 'gzip']),
    h2.get(5, '/b', ['connection', 'close']),
    h2.get(11, '/get'),
    h2.get(13, '/get', ['te', 'gzip']),
  );
  await until(() => reader.events.length === 3 && client.isDone(11));
  client.send(h2.get(15, '/get'));
  await until(() => client.isDone(15));
  const { conn } = echoOf(client.content(15));
  client.socket.destroy();
  const story = await closedStory(running(), conn.id);
  await get(running().port, '/get');
  const told = reader.events.map(({ data }) => [data['stream'], data['path'], data['reason']]);
  const te = 'te is not "trailers" (RFC 9113 8.2.2)';
  expect(told).toEqual([
    [1, '/a', reasonOf(1, te)],
    [5, '/b', reasonOf(5, 'the connection-specific field connection (RFC 9113 8.2.2)')],
    [13, '/get', reasonOf(13, te)],
  ]);
  expect(story).toMatchObject({
    http2: { refused: [{ stream: 1 }, { stream: 5 }, { stream: 13 }] },
  });
  reader.socket.destroy();
});

test('not rejected on HTTP/2: a request that arrives with content of the wrong length', async () => {
  const reader = await openReader('?kind=rejected,request');
  const client = new h2.FrameClient(await openSocket(running().port));
  client.send(
    Buffer.concat([
      h2.post(1, '/wrong-length', ['content-length', '1']),
      h2.frame(h2.DATA, h2.END_STREAM, 1, Buffer.alloc(8)),
      h2.get(3, '/get'),
    ]),
  );
  await until(() => client.reset(1) !== undefined || client.socket.destroyed);
  client.socket.destroy();
  await until(() => reader.events.some(({ data }) => data['path'] === '/wrong-length'));
  await get(running().port, '/get');
  const kinds = reader.events.filter(({ data }) => data['path'] === '/wrong-length');
  expect(kinds.map(({ data }) => data['kind'])).toEqual(['request']);
  reader.socket.destroy();
});

/** The event of a connection that ends with GOAWAY; the bytes come in two reads. */
async function endedOn(bytes: Buffer, split = bytes.length): Promise<Record<string, unknown>> {
  return rejectedOf(async () => {
    const client = new h2.FrameClient(await openSocket(running().port));
    client.send(bytes.subarray(0, split));
    if (split < bytes.length) {
      await get(running().port, '/get');
      client.send(bytes.subarray(split));
    }
    await until(() => client.goaway() !== undefined);
    client.socket.end();
  });
}

const windowUpdate = h2.frame(h2.WINDOW_UPDATE, 0, 0, Buffer.alloc(4));
const ping = h2.frame(h2.PING, 0, 0, Buffer.alloc(8));
const goaway = h2.frame(h2.GOAWAY, 0, 1, Buffer.from('12345678secret'));
const pushPromise = h2.frame(5, h2.END_HEADERS, 1, Buffer.from('secret'));
const even = h2.get(2, '/a?pin=secret');
const latin1 = (bytes: Buffer, end?: number): string => bytes.toString('latin1', 0, end);

const hasTwoReads = !differs('A connection error');
const incomplete: [name: string, bytes: Buffer, expected: string][] = [
  ['an incomplete frame', even.subarray(0, -1), `${latin1(even, 9)}[redacted]`],
];

test.each<[name: string, bytes: Buffer, expected: string]>([
  ['a frame of the connection', windowUpdate, latin1(windowUpdate)],
  ['between others', Buffer.concat([ping, windowUpdate, goaway]), latin1(windowUpdate)],
  ['debug data', goaway, `${latin1(goaway, 17)}[redacted]`],
  ['a frame of a server', pushPromise, `${latin1(pushPromise, 9)}[redacted]`],
  ['a field block', even, `${latin1(even, 9)}[redacted]`],
  ...(hasTwoReads ? incomplete : []),
])('rejected on HTTP/2 without a stream: %s', async (_, bytes, expected) => {
  const event = await endedOn(bytes);
  expect(event).toMatchObject({ method: null, path: null, query: null, bytes: expected });
  expect(event).not.toHaveProperty('stream');
});

test.runIf(hasTwoReads)('rejected on HTTP/2: a frame that has two reads', async () => {
  expect(await endedOn(goaway, 12)).toMatchObject({ bytes: `${latin1(goaway, 17)}[redacted]` });
});

test('rejected on HTTP/2: a frame after the request of its stream', async () => {
  const bytes = Buffer.concat([h2.get(1, '/a/b?pin=secret'), goaway]);
  expect(await endedOn(bytes)).toMatchObject({
    method: 'GET',
    path: '/a/b',
    query: 'pin=[redacted]',
    bytes: `${latin1(goaway, 17)}[redacted]`,
  });
});

test('neither a timeout nor a reset is where the parser stopped', async () => {
  const { content } = await get(running().port, '/get');
  const { conn } = echoOf(content);
  const socket = await openSocket(running().port);
  await new Promise((resolve) => {
    socket.write('GET / HTTP/1.1\r\nHos', resolve);
  });
  await get(running().port, '/get', LAST);
  socket.resetAndDestroy();
  const story = await closedStory(running(), idAfter(conn.id));
  expect(story).toMatchObject({
    closed: { reason: 'reset' },
    http1: { requests: { messages: 1 } },
  });
  expect(story.http1).not.toHaveProperty('refused');
});
