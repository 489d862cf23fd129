import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { isHttp2, isSecure, openClient, transports } from '../_client.ts';
import * as h2 from '../_frames.ts';
import { until } from '../_adapters.ts';
import { converse, GET, LAST, openPair, openSocket } from '../_raw.ts';
import { closedStory, get, idAfter, idIn, storyOf, traceOf, type Story } from './_story.ts';
import { sharedService } from '../_shared.ts';
import { echoOf } from '../_echo.ts';

const running = sharedService('--inspect', '--conn-headers', '--proxy-protocol', 'optional');

const layerOf = (story: Story, layer: string) =>
  story.events.filter((event) => event.layer === layer);
const isComplete = (text: string): boolean => /\r\n\r\n.*\}\n$/s.test(text);

describe.each(transports)('over %s', (transport) => {
  test('the story of an open connection goes on until it is closed', async () => {
    const client = openClient(transport, running().port);
    const { body } = await client.request('/anything?a=1', { headers: { 'x-a': 'b' } });
    const { wire, conn } = JSON.parse(body.toString()) as {
      wire: object;
      conn: { id: string };
    };
    expect(wire).toMatchObject(
      isHttp2(transport)
        ? { stream: 1, frames: [{ type: 'HEADERS', flags: ['END_STREAM', 'END_HEADERS'] }] }
        : { number: 1, offset: 0, line: { method: 'GET', target: '/anything?a=1' } },
    );
    const open = await storyOf(running().port, conn.id);
    expect(open).toMatchObject({ id: conn.id, requests: 1, closed: null });
    const text = await traceOf(running().port, conn.id);
    client.close();
    const closed = await closedStory(running(), conn.id);
    expect(closed).toMatchObject({ closed: { by: 'client', reason: 'closed' } });
    expect(closed.events.slice(0, open.events.length)).toEqual(open.events);
    const times = closed.events.map(({ layer, at_ms: at, end_at_ms: end = at }) =>
      // Frames are listed when they are complete.
      layer === 'http2' ? end : at,
    );
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(closed.events.at(-1)).toMatchObject({ title: 'closed by client: closed' });
    expect(closed.tls !== undefined).toBe(isSecure(transport));
    expect(text).toMatch(/^ +0\.000 > tcp {5}connection from 127\.0\.0\.1:\d+\n/);
    expect(text).toContain(isHttp2(transport) ? 'x-a: b  (literal' : 'x-a: b\\r\\n\n');
    // Both sides have ended, in whatever order.
    expect(closed.tcp.ends.map(({ by }) => by)).toContain('wirebin');
  });
});

test('JSON unless Accept prefers text; 404 for an unknown id', async () => {
  const { id } = echoOf((await get(running().port, '/get')).content).conn;
  const path = `/connections/${id}`;
  expect(await get(running().port, path)).toMatchObject({ status: 200, type: 'application/json' });
  expect(await get(running().port, path, 'Accept: text/plain\r\n')).toMatchObject({
    status: 200,
    type: 'text/plain; charset=utf-8',
  });
  const { status, content } = await get(running().port, '/connections/nobody');
  expect(status).toBe(404);
  expect(JSON.parse(content)).toMatchObject({
    type: '/problems/not-found',
    detail: 'there is no connection nobody, it is no longer kept, or it was not inspected',
  });
});

test.each(['PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n', 'PROXY UNKNOWN\r\n'])(
  'offsets of requests are from the end of %j',
  async (header) => {
    const socket = await openSocket(running().port);
    socket.once('end', () => socket.end());
    const text = await converse(socket, header + GET('/get', LAST));
    const story = await closedStory(running(), idIn(text));
    expect(story.proxy_header).toEqual({ length: header.length });
    expect(layerOf(story, 'http1')[0]).toMatchObject({ offset: 0, head: GET('/get', LAST) });
    expect(story.tcp.reads.bytes).toBe(header.length + GET('/get', LAST).length);
  },
);

test('a message that was refused: its raw head, which byte it was, and what came after', async () => {
  const refused = 'GET /b HTTP/1.1\r\nHost: x\r\nX\x01: y\r\n\r\n';
  const after = 'GET /c HTTP/1.1\r\n';
  const socket = await openSocket(running().port);
  const text = await converse(socket, GET('/get') + refused + after);
  const story = await closedStory(running(), idIn(text));
  expect(story).toMatchObject({
    closed: { by: 'wirebin', reason: 'refused' },
    http1: {
      requests: {
        bytes: (GET('/get') + refused + after).length,
        messages: 2,
        rest: { bytes: '[redacted]', length: after.length },
      },
      refused: {
        at: GET('/get').length + refused.indexOf('\x01'),
        reason: 'a field name has an invalid character',
      },
    },
  });
  const requests = layerOf(story, 'http1').filter(({ from }) => from === 'client');
  expect(requests).toMatchObject([
    { number: 1, head: GET('/get') },
    {
      number: 2,
      head: refused,
      refused_at: refused.indexOf('\x01'),
      fields: [{ name: 'Host' }, { name: 'X\x01', invalid_at: refused.indexOf('\x01') }],
    },
  ]);
});

test('WINDOW_UPDATE of the connection has no window of a stream', async () => {
  const client = new h2.FrameClient(await openSocket(running().port));
  client.send(h2.frame(h2.WINDOW_UPDATE, 0, 0, h2.uint32(1)), h2.get(1, '/get'));
  await until(() => client.isDone(1));
  const { conn } = echoOf(client.content(1));
  const trace = await traceOf(running().port, conn.id);
  expect(trace).toMatch(/WINDOW_UPDATE stream 0, 4 bytes\n +increment: 1\n +window: 65536\n +\d/);
  client.socket.destroy();
});

test('streams that were refused, for a field and for more than a field, with our reasons', async () => {
  const client = new h2.FrameClient(await openSocket(running().port));
  client.send(h2.get(1, '/get'));
  await until(() => client.isDone(1));
  const { conn } = echoOf(client.content(1));
  client.send(
    h2.post(3, '/post', ['content-length', '5']),
    h2.frame(h2.DATA, h2.END_STREAM, 3, Buffer.from('abc')),
    h2.get(5, '/get', ['connection', 'close']),
  );
  await until(() => client.reset(3) !== undefined && client.reset(5) !== undefined);
  const story = await storyOf(running().port, conn.id);
  expect(story.http2).toMatchObject({
    streams: 3,
    rejected: 2,
    refused: [
      {
        stream: 3,
        content_length: 5,
        data_received: 3,
        reset: { by: 'server', frame: 'RST_STREAM', code: 'PROTOCOL_ERROR' },
        refusals: [{ section: 'RFC 9113 8.1.1' }],
      },
      { stream: 5, refusals: [{ section: 'RFC 9113 8.2.2' }] },
    ],
  });
  expect(layerOf(story, 'http2').find(({ stream }) => stream === 5)).toMatchObject({
    fields: [{}, {}, {}, {}, { name: 'connection', refused: { section: 'RFC 9113 8.2.2' } }],
  });
  const trace = await traceOf(running().port, conn.id);
  expect(trace).toMatch(
    / < http2 {3}RST_STREAM stream 3, 4 bytes\n +code: "PROTOCOL_ERROR"\n +refused: .*8\.1\.1/,
  );
  expect(trace).toMatch(/connection: close .*<- refused: .*8\.2\.2/);
  client.socket.destroy();
});

describe('the end of TCP', () => {
  test('the client half-closes and waits', async () => {
    const socket = await openSocket(running().port);
    const received = converse(socket, GET('/delay/0.3', 'X-A: b\r\n'));
    socket.end();
    const story = await closedStory(running(), idIn(await received));
    expect(story.tcp.ends).toMatchObject([
      { by: 'client', how: 'fin' },
      { by: 'wirebin', how: 'fin' },
    ]);
    expect(story.tcp.half_closed_ms).toBeGreaterThan(100);
  });

  test('wirebin closes first, and lists what came after the last request', async () => {
    const socket = await openSocket(running().port);
    socket.once('end', () => socket.end());
    const text = await converse(socket, GET('/get', LAST) + GET('/late'));
    const story = await closedStory(running(), idIn(text));
    expect(story).toMatchObject({
      requests: 1,
      closed: { by: 'wirebin', reason: 'connection-close' },
      tcp: { ends: [{ by: 'wirebin', how: 'fin' }, { by: 'client' }] },
      http1: {
        requests: { messages: 1, rest: { kind: 'unserved', length: GET('/late').length } },
      },
    });
  });

  test.each([[undefined], [['http/1.1']], [['h2']]])('the client resets, ALPN %j', async (alpn) => {
    const { clear, socket } = await openPair(running().port, alpn);
    let id: string;
    if (alpn?.[0] === 'h2') {
      const client = new h2.FrameClient(socket);
      client.send(h2.get(1, '/get'));
      await until(() => client.isDone(1));
      id = echoOf(client.content(1)).conn.id;
    } else {
      id = idIn(await converse(socket, GET('/get'), isComplete));
    }
    clear.resetAndDestroy();
    const story = await closedStory(running(), id);
    expect(story).toMatchObject({
      closed: { by: 'client', reason: 'reset' },
      tcp: { ends: [{ by: 'client', how: 'rst' }] },
    });
    expect(story.tcp.ends).toHaveLength(1);
    expect(story.tcp).not.toHaveProperty('half_closed_ms');
  });

  test('the client resets after wirebin has closed its side', async () => {
    const socket = await openSocket(running().port);
    const id = idIn(await converse(socket, GET('/get', LAST)));
    socket.resetAndDestroy();
    const story = await closedStory(running(), id);
    expect(story.tcp.ends).toMatchObject([
      { by: 'wirebin', how: 'fin' },
      { by: 'client', how: 'rst' },
    ]);
  });
});

test('bytes of no protocol are kept', async () => {
  const { conn } = JSON.parse((await get(running().port, '/get')).content) as {
    conn: { id: string };
  };
  const socket = await openSocket(running().port);
  socket.end('PR');
  await once(socket.resume(), 'close');
  const story = await closedStory(running(), idAfter(conn.id));
  expect(story).toMatchObject({ protocol: null, tcp: { reads: { bytes: 2 } } });
  expect(story.undetected).toEqual({ bytes: '[redacted]', length: 2 });
});
