import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { sharedAdapters, startAdapters, until } from '../../_adapters.ts';
import { converse, exchange, GET, openSocket, POST, statusesOf } from '../../_raw.ts';
import { connectionOf, HTTP1 } from '../../_shared.ts';

const STALL = 800;

describe.concurrent.each(HTTP1)('%s', (_, alpn) => {
  const adapters = sharedAdapters({
    headerTimeout: 400,
    requestTimeout: 500,
    idleTimeout: 300,
    stallTimeout: STALL,
  });

  test.concurrent.each([
    ['a byte', 'G'],
    ['a request line', GET('/healthz').slice(0, 20)],
    ['a header section', GET('/healthz').slice(0, -2)],
    ['a second header section', GET('/healthz') + GET('/healthz').slice(0, -2)],
  ])('%s and silence: 408 within the header timeout', async (_name, bytes) => {
    const start = performance.now();
    const received = await exchange(adapters().port, bytes, alpn);
    expect(statusesOf(received).at(-1)).toBe(408);
    expect(received).toMatch(/^Connection: close$/im);
    expect(performance.now() - start).toBeGreaterThan(395);
    expect(performance.now() - start).toBeLessThan(2000);
  });

  test.concurrent('a header section that arrives byte by byte still times out', async () => {
    const socket = await openSocket(adapters().port, alpn);
    const response = converse(socket, 'GET /');
    const timer = setInterval(() => socket.write('a'), 50);
    const start = performance.now();
    expect(statusesOf(await response)).toEqual([408]);
    expect(performance.now() - start).toBeLessThan(2000);
    clearInterval(timer);
  });

  test.concurrent.each([
    ['with Content-Length', POST('/anything', 'Content-Length: 10\r\n', 'half')],
    ['chunked', POST('/anything', 'Transfer-Encoding: chunked\r\n', '5\r\nhel')],
  ])('slow content %s: 408 within the request timeout', async (_name, bytes) => {
    const start = performance.now();
    const received = await exchange(adapters().port, bytes, alpn);
    expect(statusesOf(received)).toEqual([408]);
    expect(received).toMatch(/^Connection: close$/im);
    expect(performance.now() - start).toBeGreaterThan(490);
    expect(performance.now() - start).toBeLessThan(2500);
  });

  test.concurrent('an idle connection is closed after the idle timeout, without a response', async () => {
    const start = performance.now();
    const received = await exchange(adapters().port, GET('/healthz'), alpn);
    expect(statusesOf(received)).toEqual([200]);
    expect(performance.now() - start).toBeGreaterThan(290);
    expect(performance.now() - start).toBeLessThan(800);
  });

  test.concurrent.each([
    ['after a request', GET('/healthz'), [200], 'idle-timeout'],
    ['before any', '\r\n', [408], 'header-timeout'],
  ])(
    'empty lines %s do not keep a connection open (RFC 9112 2.2)',
    async (_name, bytes, statuses, reason) => {
      const socket = await openSocket(adapters().port, alpn);
      const received = converse(socket, bytes);
      const timer = setInterval(() => socket.write('\r\n'), 50);
      const connection = await connectionOf(adapters(), socket);
      const start = performance.now();
      expect(statusesOf(await received)).toEqual(statuses);
      // The timeout of the head, which is longer, and a margin for a busy machine.
      expect(performance.now() - start).toBeLessThan(400 + 1500);
      expect(connection.closeCause).toEqual({ by: 'wirebin', reason });
      clearInterval(timer);
    },
  );

  test.concurrent('a connection with a late response is not idle', async () => {
    const socket = await openSocket(adapters().port, alpn);
    const response = converse(socket, GET('/hold'), (text) => text.includes('held'));
    await until(() => adapters().held.length === 1);
    await pause(1600);
    adapters().held[0]?.respond();
    expect(statusesOf(await response)).toEqual([200]);
  });

  test.concurrent('a client that stops reading its response is aborted in time', async () => {
    const socket = await openSocket(adapters().port, alpn);
    socket.pause();
    socket.write(GET('/zeros/100000000'));
    const connection = await connectionOf(adapters(), socket);
    const start = performance.now();
    await until(() => !adapters().listener.connections.has(connection));
    const took = performance.now() - start;
    expect(took).toBeGreaterThan(STALL - 50);
    // A fraction of the limit, and the sweep interval.
    expect(took).toBeLessThan(1.25 * STALL + 1500);
    // Pending data is dropped: after FIN the kernel would keep it for minutes.
    let received = 0;
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    socket.resume();
    // Node 20 reports RST after data as `end`, later versions as an error.
    await until(() => socket.readableEnded || socket.destroyed);
    expect(received).toBeLessThan(1_000_000);
  });
});

test('a client that reads a large response slowly gets all of it', async () => {
  const adapters = await startAdapters({ stallTimeout: 1000, maxBodySize: 2 ** 24 });
  const socket = await openSocket(adapters.port);
  const content = 'a'.repeat(4_000_000);
  const head = `Content-Length: ${content.length}\r\nConnection: close\r\n`;
  let received = 0;
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length;
    socket.pause();
    setTimeout(() => socket.resume(), 20);
  });
  socket.write(POST('/anything', head, content));
  await once(socket, 'end');
  expect(received).toBeGreaterThan(2 * content.length);
});

test('a request timeout below the header timeout also applies to the header section', async () => {
  const adapters = await startAdapters({ headerTimeout: 60_000, requestTimeout: 300 });
  expect(statusesOf(await exchange(adapters.port, 'GET /'))).toEqual([408]);
});
