import type { Socket } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { sharedAdapters, startAdapters, unchanged, until } from '../../_adapters.ts';
import { openClient } from '../../_client.ts';
import { converse, GET, LAST, openSocket, POST, statusesOf } from '../../_raw.ts';
import type { TcpConnection } from '../../../src/net/tcp-connection.ts';
import { endpoint } from '../../../src/server/endpoint.ts';
import { text } from '../../../src/server/reply.ts';
import { connectionOf, HTTP1 } from '../../_shared.ts';

const MOST_OPEN = 32;
const INCOMPLETE = 'POST /none HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nPart';

describe.each(HTTP1)('%s', (_, alpn) => {
  const adapters = sharedAdapters({ lingerTime: 100 });
  const connections = (): TcpConnection[] => [...adapters().listener.connections];

  test('of many pipelined requests, a limited number is open at a time, and all get responses in order', async () => {
    const before = adapters().held.length;
    const count = 300;
    const socket = await openSocket(adapters().port, alpn);
    const targets = Array.from({ length: count }, (__, at) => GET(`/hold?${at}`));
    const received = converse(socket, targets.join('') + GET('/healthz', LAST));
    await until(() => adapters().held.length === before + MOST_OPEN);
    for (let at = 0; at < count; at++) {
      await until(() => adapters().held.length > before + at);
      expect(adapters().held.length).toBeLessThanOrEqual(before + at + MOST_OPEN);
      const held = adapters().held[before + at];
      expect(held?.request.rawTarget).toBe(`/hold?${at}`);
      held?.respond();
    }
    expect(statusesOf(await received)).toEqual(Array.from({ length: count + 1 }, () => 200));
    socket.destroy();
    expect(connections()[0]?.requests.maxOpen ?? MOST_OPEN).toBe(MOST_OPEN);
    await until(() => connections().length === 0);
  });

  test.each([
    ['a complete request', POST('/hold', 'Content-Length: 0\r\n')],
    ['a request whose content is invalid', POST('/hold', 'Transfer-Encoding: chunked\r\n')],
  ])('little is read of what follows %s and is no message', async (__, head) => {
    const before = adapters().held.length;
    const socket = await openSocket(adapters().port, alpn);
    socket.resume().write(`${head}zz\r\n\r\n`);
    await until(() => adapters().held.length > before);
    const connection = await connectionOf(adapters(), socket);
    socket.write(Buffer.alloc(256 * 1024));
    await until(() => connection.isReadingHeld('closing'));
    adapters().held[before]?.respond();
    socket.destroy();
    await until(() => connections().length === 0);
  });

  test('a client is probed while its FIN would not be read', async () => {
    const before = adapters().held.length;
    const socket = await openSocket(adapters().port, alpn);
    socket.resume().write(GET('/hold'));
    await until(() => adapters().held.length > before);
    const [connection] = connections();
    if (!connection) throw new Error('there is no connection');
    const keepAlive = vi.spyOn(connection.socket, 'setKeepAlive');
    const write = vi.spyOn(connection.socket, 'write');
    socket.write(GET('/hold').repeat(40));
    await until(() => write.mock.calls.some(([bytes]) => bytes === ''));
    expect(keepAlive.mock.calls).toEqual([[true, 5000]]);
    socket.destroy();
    for (const held of adapters().held) held.respond();
    await until(() => connections().length === 0);
  });

  test.each([
    ['an invalid message', 'no message\r\n\r\n', 400, (socket: Socket) => socket],
    // Over TLS, its end is noticed twice: by the parser, and by the socket, which is read to its end.
    ['a request with incomplete content', INCOMPLETE, 404, (socket: Socket) => socket.end()],
  ])('%s after queued requests gets its response after theirs', async (__, bytes, status, end) => {
    const before = adapters().held.length;
    const socket = await openSocket(adapters().port, alpn);
    const received = converse(socket, `${GET('/hold').repeat(40)}${bytes}`);
    end(socket);
    for (let at = 0; at < 40; at++) {
      await until(() => adapters().held.length > before + at);
      adapters().held[before + at]?.respond();
    }
    const statuses = statusesOf(await received);
    expect(statuses).toEqual([...Array.from({ length: 40 }, () => 200), status]);
    socket.destroy();
    await until(() => connections().length === 0);
  });

  test.each([
    ['endless requests', GET('/hold')],
    ['large responses that are not read', GET('/zeros/10000000')],
    // Two Host fields: 400, and the connection is closed.
    ['requests after the last response', `GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n`],
  ])('%s: little of them is read', async (__, request) => {
    const socket = await openSocket(adapters().port, alpn);
    socket.pause().write(request.repeat(40) + GET('/healthz').repeat(50_000));
    await until(() => connections().length === 1);
    const [connection] = connections();
    const read = await unchanged(() => connection?.socket.bytesRead ?? 0);
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(512 * 1024);
    socket.destroy();
    for (const held of adapters().held) held.respond();
    await until(() => connections().length === 0);
  });
});

test('queued requests on many connections are limited in total', async () => {
  const adapters = await startAdapters({ maxUnread: 25_000 });
  const flood = GET('/hold').repeat(MOST_OPEN) + GET('/').repeat(100);
  const sockets = await Promise.all(Array.from({ length: 20 }, () => openSocket(adapters.port)));
  let closed = 0;
  for (const socket of sockets) {
    socket
      .resume()
      .on('error', () => undefined)
      .on('close', () => closed++);
    socket.write(flood);
  }
  await until(() => closed > 5);
  expect(closed).toBeLessThan(18);
  for (const socket of sockets) socket.destroy();
  await until(() => {
    for (const held of adapters.held) held.respond();
    return adapters.listener.connections.size === 0;
  });
  const honest = await openSocket(adapters.port);
  const received = await converse(honest, GET('/healthz').repeat(200) + GET('/healthz', LAST));
  expect(statusesOf(received)).toEqual(Array.from({ length: 201 }, () => 200));
});

test('pipelined requests are served in turn with those of other connections', async () => {
  const count = 500;
  let served = 0;
  const now = vi.spyOn(performance, 'now').mockImplementation(() => served);
  onTestFinished(() => now.mockRestore());
  const busy = endpoint({
    path: '/busy',
    group: 'timing',
    summary: 'Takes 1 ms of the time that the test hands in.',
    responses: {},
    handle() {
      served++;
      return text('busy');
    },
  });
  const adapters = await startAdapters({}, [busy]);
  const other = openClient('http/1.1', adapters.port);
  await other.request('/healthz');
  const flood = await openSocket(adapters.port);
  flood.resume().write(GET('/busy').repeat(count));
  let others = 0;
  const isServed = (): boolean => served === count;
  for (; !isServed(); others++) await other.request('/healthz');
  flood.destroy();
  other.close();
  // With 10 in each iteration of the event loop; in one iteration it would be two or three.
  expect(others).toBeGreaterThan(10);
});
