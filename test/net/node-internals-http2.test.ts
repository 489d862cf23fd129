import { once } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectHttp2, createHttp2Server } from '../../src/net/http2-sessions.ts';
import { HpackDecoder } from '../../src/wire/http2/hpack-decoder.ts';
import { makeCredentials } from '../../src/net/certificates.ts';
import {
  acceptSession,
  deferDestroy,
  detachSession,
  observeReceived,
  onTrailers,
  resetStream,
  respondVerbatim,
} from '../../src/net/node-internals-http2.ts';
import { queuedBytes, startReading } from '../../src/net/node-internals.ts';
import { until } from '../_adapters.ts';
import * as h2 from '../_frames.ts';
import { collectGarbage } from '../_garbage.ts';
import { socketPair } from './_sockets.ts';

test('acceptSession, onTrailers and deferDestroy', async () => {
  const server = createHttp2Server();
  const [socket, tcp] = await socketPair();
  const client = connectHttp2('http://localhost', { createConnection: () => socket });
  const session = acceptSession(server, tcp);
  expect(session).toBeDefined();
  expect(server.listenerCount('session')).toBe(0);
  if (!session) return;
  const calls: string[] = [];
  const destroyNow = deferDestroy(session, () => calls.push('before'));
  session.on('close', () => calls.push('close'));
  const lines: string[] = [];
  session.on('stream', (stream) => {
    onTrailers(stream, (trailers) => lines.push(...trailers));
    stream.resume().once('end', () => {
      stream.respond({}, { endStream: true });
      // Node destroys a closed session at the end of its last stream.
      session.close();
    });
  });
  const stream = client.request({ ':method': 'POST' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ one: ['1', '2'], two: '3' }));
  stream.end();
  await once(session, 'close');
  expect(lines).toEqual(['one', '1', 'one', '2', 'two', '3']);
  expect(calls[0]).toBe('before');
  expect(calls.at(-1)).toBe('close');
  destroyNow();
  client.destroy();
});

/** A session of a server in clear or over TLS, a request on it, and a client that writes frames. */
async function openSession(isSecure: boolean) {
  const server = createHttp2Server();
  const [clear, tcp] = await socketPair();
  let socket: Socket = tcp;
  let client = clear;
  if (isSecure) {
    const ALPNProtocols = ['h2'];
    client = connectTls({ socket: clear, rejectUnauthorized: false, ALPNProtocols });
    const tlsServer = createTlsServer({ ...(await makeCredentials(Date.now())), ALPNProtocols });
    tlsServer.emit('connection', tcp);
    [socket] = (await once(tlsServer, 'secureConnection')) as [TLSSocket];
  }
  const session = acceptSession(server, socket);
  if (!session) throw new Error('there is no session');
  const frames = new h2.FrameClient(client);
  frames.send(h2.get(1, '/'), h2.get(3, '/'), h2.post(5, '/'));
  const streams: ServerHttp2Stream[] = [];
  session.on('stream', (stream) => streams.push(stream.on('error', () => undefined)));
  await until(() => streams.length === 3);
  onTestFinished(() => {
    client.destroy();
    socket.destroy();
  });
  return { client, frames, session, socket, streams };
}

test('detachSession: nothing is kept of a session whose SETTINGS were not acknowledged', async () => {
  const session = await detachedAndClosed();
  // A session may still be referred to by what Node calls later.
  await until(() => {
    collectGarbage();
    return session.deref() === undefined;
  });
});

/** In a function of its own, so that nothing here refers to it. */
async function detachedAndClosed(): Promise<WeakRef<object>> {
  const [client, socket] = await socketPair();
  const session = acceptSession(createHttp2Server(), socket);
  if (!session) throw new Error('there is no session');
  // What listens to a session refers to its connection.
  session.on('error', (error) => socket.destroy(error));
  client.write(h2.PREFACE);
  await once(client, 'readable');
  detachSession(session, socket, () => session.destroy());
  const closed = Promise.all([once(socket, 'close'), once(client, 'close')]);
  client.destroy();
  socket.destroy();
  await closed;
  return new WeakRef(session);
}

describe.each([
  ['in clear', false],
  ['over TLS', true],
])('%s', (_, isSecure) => {
  test('observeReceived: the session gets all, and reads natively afterwards', async () => {
    const { frames, session, socket, streams } = await openSession(isSecure);
    const seen: Buffer[] = [];
    observeReceived(session, socket, (bytes) => seen.push(bytes) < 3);
    const data: Buffer[] = [];
    streams[2]?.on('data', (bytes: Buffer) => data.push(bytes));
    for (const text of ['one', 'two', 'three', 'four', 'five']) {
      frames.send(h2.frame(h2.DATA, 0, 5, Buffer.from(text)));
      await until(() => String(data.at(-1)) === text);
    }
    const expected = ['one', 'two', 'three'].map((text) =>
      h2.frame(h2.DATA, 0, 5, Buffer.from(text)),
    );
    expect(seen).toEqual(expected);
  });

  test('observeReceived: the session may be destroyed meanwhile', async () => {
    const { frames, session, socket } = await openSession(isSecure);
    let count = 0;
    observeReceived(session, socket, () => {
      if (++count === 1) setImmediate(() => session.destroy());
      return true;
    });
    for (let at = 0; at < 5 && !socket.destroyed; at++) {
      frames.send(h2.frame(h2.PING, 0, 0, Buffer.alloc(8)));
      await turn();
    }
    frames.socket.end();
    await until(() => socket.destroyed);
    expect(count).toBeGreaterThan(0);
  });

  test('detachSession: sends nothing, and JavaScript reads and writes the socket', async () => {
    const { client, frames, session, socket, streams } = await openSession(isSecure);
    streams[0]?.respond();
    streams[1]?.respond();
    streams[1]?.write('sent');
    await until(() => frames.got(h2.DATA).length > 0 && frames.got(h2.SETTINGS).length === 2);
    const before = frames.frames.length;
    const closed = once(session, 'close');
    streams[2]?.write('not sent');
    detachSession(session, socket, () => session.destroy());
    await closed;
    expect(session.destroyed).toBe(true);
    expect(streams.every(({ destroyed }) => destroyed)).toBe(true);
    expect(socket.destroyed).toBe(false);
    expect(Object.hasOwn(socket, 'destroyed')).toBe(false);
    expect(queuedBytes(socket)).toBe(0);
    let received = '';
    socket.on('data', (bytes: Buffer) => (received += bytes.toString()));
    startReading(socket);
    client.write('to the server');
    await until(() => received === 'to the server');
    socket.write(h2.frame(h2.PING, 0, 0, Buffer.alloc(8)));
    await until(() => frames.frames.length > before);
    expect(frames.frames.slice(before)).toMatchObject([{ type: h2.PING }]);
    socket.end();
    await once(client, 'end');
    expect(frames.frames).toHaveLength(before + 1);
  });

  test('detachSession and queuedBytes: a write in progress is completed', async () => {
    const { client, frames, session, socket, streams } = await openSession(isSecure);
    const window = h2.uint32(2 ** 31 - 1 - 65_535);
    frames.send(h2.frame(h2.WINDOW_UPDATE, 0, 0, window), h2.frame(h2.WINDOW_UPDATE, 0, 1, window));
    client.pause();
    const [stream] = streams;
    stream?.respond();
    const size = 16 * 1024 * 1024;
    stream?.write(Buffer.alloc(size));
    await until(() => queuedBytes(socket) > 0);
    detachSession(session, socket, () => session.destroy());
    await turn();
    expect(queuedBytes(socket)).toBeGreaterThan(0);
    client.resume();
    await until(() => queuedBytes(socket) === 0);
    await turn();
    socket.write(h2.frame(h2.PING, 0, 0, Buffer.alloc(8)));
    await until(() => frames.got(h2.PING).length === 1);
  });

  test('resetStream: no END_STREAM before RST_STREAM', async () => {
    const { frames, streams } = await openSession(isSecure);
    const [stream, other] = streams;
    stream?.respond();
    stream?.write('part');
    await until(() => frames.got(h2.DATA, 1).length > 0);
    if (stream) resetStream(stream, 2 ** 32 - 1);
    await until(() => frames.reset(1) !== undefined);
    expect(frames.reset(1)).toBe(2 ** 32 - 1);
    expect(frames.isDone(1)).toBe(false);
    other?.respond();
    other?.end('whole');
    await until(() => frames.isDone(3));
    expect(stream?.destroyed).toBe(true);
  });

  test('respondVerbatim: any fields in any order', async () => {
    const { frames, streams } = await openSession(isSecure);
    const [stream] = streams;
    const fields = [
      ['connection', 'close'],
      ['a', ''],
      [':status', '299'],
    ] as const;
    if (stream) respondVerbatim(stream, fields);
    stream?.end('content');
    await until(() => frames.isDone(1));
    const [headers] = frames.got(h2.HEADERS, 1);
    const decoded = new HpackDecoder().decode(headers?.payload ?? Buffer.alloc(0)).fields;
    expect(decoded.map(({ name, value }) => [name, value])).toEqual(fields);
    expect(frames.content(1)).toBe('content');
  });
});
