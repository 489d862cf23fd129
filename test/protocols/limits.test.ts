import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { sharedAdapters, startAdapters, until } from '../_adapters.ts';
import { differs } from '../_engine.ts';
import * as h2 from '../_frames.ts';
import { converse, exchange, GET, openSocket, statusesOf } from '../_raw.ts';
import { HTTP1, HTTP2 } from '../_shared.ts';

const MAX_CONCURRENT_STREAMS = 3;
const REFUSED_STREAM = 7;

const adapters = sharedAdapters({ maxRequests: 2, maxStreams: 1 });

/** Every connection is old when it is first looked at. */
const OLD = { maxConnectionAge: 1, sweepInterval: 10 };

describe.each(HTTP1)('HTTP/1.1 %s', (_, alpn) => {
  test('a response on an old connection has Connection: close, and no request is lost', async () => {
    const { port, held } = await startAdapters(OLD);
    const socket = await openSocket(port, alpn);
    const responses = converse(socket, GET('/hold'));
    await until(() => held.length === 1);
    await pause(50);
    held[0]?.respond();
    expect(statusesOf(await responses)).toEqual([200]);
    expect(await responses).toMatch(/^connection: close\r$/im);
  });

  test('an old connection without a request is closed, and not before a second has passed', async () => {
    const { port } = await startAdapters(OLD);
    const socket = await openSocket(port, alpn);
    const start = performance.now();
    const response = await converse(socket, GET('/healthz'), (text) => text.endsWith('OK'));
    expect(statusesOf(response)).toEqual([200]);
    await until(() => socket.readableEnded);
    if (!/connection: close/i.test(response)) {
      expect(performance.now() - start).toBeGreaterThan(900);
    }
  });

  test('the last response allowed on a connection has Connection: close', async () => {
    const responses = await exchange(adapters().port, GET('/healthz').repeat(3), alpn);
    expect(statusesOf(responses)).toEqual([200, 200]);
    expect(responses.match(/connection: close/gi)).toHaveLength(1);
    expect(responses.lastIndexOf('close')).toBeGreaterThan(responses.lastIndexOf('HTTP/1.1'));
  });
});

describe.each(HTTP2)('HTTP/2 %s', (_, alpn) => {
  test('the last request allowed on a session gets its response after GOAWAY', async () => {
    const client = new h2.FrameClient(await openSocket(adapters().port, alpn));
    client.send(h2.get(1, '/healthz'));
    await until(() => client.isDone(1));
    expect(client.goaway()).toBeUndefined();
    client.send(h2.get(3, '/healthz'));
    await until(() => client.isDone(3) && client.goaway() === 0);
  });

  test('an old session gets GOAWAY, and completes its streams', async () => {
    const { port, held } = await startAdapters({ ...OLD, maxConnectionAge: 1000 });
    const client = new h2.FrameClient(await openSocket(port, alpn));
    client.send(h2.get(1, '/hold'));
    await until(() => held.length === 1 && client.goaway() === 0);
    expect(client.isDone(1)).toBe(false);
    held[0]?.respond();
    await until(() => client.isDone(1) && client.ended);
  });

  test('an old session closes with a request, so that none of a client that waits for responses is lost', async () => {
    const { port } = await startAdapters({ ...OLD, maxConnectionAge: 300 });
    const client = new h2.FrameClient(await openSocket(port, alpn));
    let last = -1;
    while (client.goaway() === undefined) {
      last += 2;
      client.send(h2.get(last, '/healthz'));
      await until(() => client.isDone(last));
    }
    await until(() => client.ended);
    expect(client.got(h2.GOAWAY).at(-1)?.payload.readUInt32BE()).toBe(last);
    expect(last).toBeGreaterThan(1);
  });

  test('an old session without a request is closed after GOAWAY, and not before a second has passed', async () => {
    const { port } = await startAdapters(OLD);
    const start = performance.now();
    const client = new h2.FrameClient(await openSocket(port, alpn));
    await until(() => client.goaway() === 0 && client.ended);
    expect(performance.now() - start).toBeGreaterThan(900);
  });

  test('requests beyond the last one that came with it are refused', async () => {
    const many = await startAdapters({ maxRequests: 2 });
    const client = new h2.FrameClient(await openSocket(many.port, alpn));
    client.send(...[1, 3, 5, 7].map((stream) => h2.get(stream, '/healthz')));
    await until(() => client.isDone(3) && client.goaway() === 0);
    if (!differs('Streams above the last one of a GOAWAY')) {
      await until(() => [5, 7].every((stream) => client.reset(stream) === REFUSED_STREAM));
    }
    expect(many.outcomes).toEqual([200, 200]);
  });

  test('no more concurrent streams than SETTINGS allow', async () => {
    const before = adapters().held.length;
    const client = new h2.FrameClient(await openSocket(adapters().port, alpn));
    await until(() => client.got(h2.SETTINGS).length > 0);
    const limit = Buffer.concat([Buffer.from([0, MAX_CONCURRENT_STREAMS]), h2.uint32(1)]);
    expect(client.got(h2.SETTINGS)[0]?.payload.includes(limit)).toBe(true);
    client.send(h2.get(1, '/hold'), h2.get(3, '/healthz'));
    await until(() => client.reset(3) === REFUSED_STREAM);
    adapters().held[before]?.respond();
    await until(() => client.isDone(1));
  });
});

test('a connection above the limit is closed at once, until another has closed', async () => {
  const few = await startAdapters({ maxConnections: 1 });
  const first = await openSocket(few.port);
  await until(() => few.listener.connections.size === 1);
  expect(await exchange(few.port, '')).toBe('');
  expect(few.listener.connections.size).toBe(1);
  first.destroy();
  await until(() => few.listener.connections.size === 0);
  const [status] = statusesOf(await exchange(few.port, GET('/healthz', 'Connection: close\r\n')));
  expect(status).toBe(200);
});
