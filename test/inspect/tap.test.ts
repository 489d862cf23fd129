import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../_adapters.ts';
import * as h2 from '../_frames.ts';
import type { SentEvent } from '../_events.ts';
import { converse, GET, LAST, openSocket } from '../_raw.ts';
import { startService, type Running } from '../_service.ts';
import { Reader } from '../_tap.ts';
import { closedStory, get, idAfter } from './_story.ts';

let running: Running;
beforeAll(async () => {
  running = await startService('--inspect', '--tap', '--conn-headers');
});
afterAll(() => running.service.close());

async function openReader(query: string): Promise<Reader> {
  const reader = await Reader.open('h2', running.port, query);
  reader.allow();
  return reader;
}

/** One request over HTTP/2 and TLS. @returns the connection's id */
async function visit(): Promise<string> {
  const client = new h2.FrameClient(await openSocket(running.port, ['h2']));
  client.send(h2.get(1, '/get'));
  await until(() => client.isDone(1));
  const { conn } = JSON.parse(client.content(1)) as { conn: { id: string } };
  client.socket.destroy();
  await closedStory(running, conn.id);
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
  const refused = `GET /a?secret HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(2000)}\r\nA\x01: b\r\n\r\n`;
  const event = await rejectedOf(async () => {
    const socket = await openSocket(running.port);
    socket.once('end', () => socket.end());
    await converse(socket, GET('/get') + refused.slice(0, 30), (text) => text.endsWith('}\n'));
    socket.write(refused.slice(30, 1500));
    await get(running.port, '/get');
    await converse(socket, refused.slice(1500));
  });
  expect(event).toMatchObject({
    method: 'GET',
    path: '/a',
    query: '[redacted]',
    bytes: refused.replace('secret', '[redacted]'),
  });
});

const encoded = (...fields: [string, string][]): string => h2.fieldBlock(fields).toString('latin1');

test('rejected on HTTP/2: method, path, query and the frames, without secrets', async () => {
  const refused = h2.get(1, '/a/b?secret', ['cookie', 'secret'], ['connection', 'close']);
  const block = refused.subarray(9);
  // Within the field of the secret.
  const cut = block.indexOf('cookie') + 'cookie'.length;
  const headers = h2.frame(h2.HEADERS, h2.END_STREAM, 1, block.subarray(0, cut));
  const continuation = h2.frame(h2.CONTINUATION, h2.END_HEADERS, 1, block.subarray(cut));
  const event = await rejectedOf(async () => {
    const client = new h2.FrameClient(await openSocket(running.port));
    client.send(headers, continuation);
    await until(() => client.reset(1) !== undefined);
    // Later than the end of the stream: see src/protocols/http2/header-section.ts.
    await get(running.port, '/get');
    client.socket.end();
  });
  expect(event).toMatchObject({ stream: 1, method: 'GET', path: '/a/b', query: '[redacted]' });
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

test('neither a timeout nor a reset is where the parser stopped', async () => {
  const { content } = await get(running.port, '/get');
  const { conn } = JSON.parse(content) as { conn: { id: string } };
  const socket = await openSocket(running.port);
  await new Promise((resolve) => {
    socket.write('GET / HTTP/1.1\r\nHos', resolve);
  });
  await get(running.port, '/get', LAST);
  socket.resetAndDestroy();
  const story = await closedStory(running, idAfter(conn.id));
  expect(story).toMatchObject({
    closed: { reason: 'reset' },
    http1: { requests: { messages: 1 } },
  });
  expect(story.http1).not.toHaveProperty('parser_stopped');
});
