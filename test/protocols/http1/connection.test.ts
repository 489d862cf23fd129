import { describe, expect, test } from 'vitest';
import { sharedAdapters, until } from '../../_adapters.ts';
import { converse, exchange, GET, LAST, openSocket, POST, statusesOf } from '../../_raw.ts';
import { HTTP1, nextHeld } from '../../_shared.ts';

describe.each(HTTP1)('%s', (_, alpn) => {
  // What only the idle timeout closes does not end.
  const adapters = sharedAdapters({ idleTimeout: 600_000 });
  const send = (bytes: string): Promise<string> => exchange(adapters().port, bytes, alpn);

  test('pipelined requests get their responses in order, with a slow one first', async () => {
    const responses = send(GET('/hold') + GET('/healthz') + GET('/anything', LAST));
    (await nextHeld(adapters())).respond();
    const received = await responses;
    expect(statusesOf(received)).toEqual([200, 200, 200]);
    expect(received).toMatch(/held[\s\S]*OK[\s\S]*"request": 3/);
  });

  test('bytes after the last request do not affect its late response (RFC 9112 9.6)', async () => {
    const responses = send(GET('/hold', LAST) + GET('/healthz') + 'rubbish');
    (await nextHeld(adapters())).respond();
    const received = await responses;
    expect(statusesOf(received)).toEqual([200]);
    expect(received).toContain('held');
  });

  test('nor do they affect queued requests', async () => {
    const responses = send(
      GET('/hold') + GET('/healthz').repeat(40) + GET('/ip', LAST) + 'rubbish',
    );
    (await nextHeld(adapters())).respond();
    expect(statusesOf(await responses)).toHaveLength(42);
  });

  test('requests after a response with close are not served', async () => {
    const received = await send(GET('/anything?connection=close') + GET('/healthz').repeat(3));
    expect(statusesOf(received)).toEqual([200]);
    expect(received).toMatch(/^Connection: close$/im);
  });

  test.each(['Connection: close\r\n', 'Proxy-Connection: close\r\n'])(
    'the trailer field %j does not close the connection (RFC 9110 6.5.1)',
    async (trailer) => {
      const socket = await openSocket(adapters().port, alpn);
      const head = POST('/zeros/3', 'Transfer-Encoding: chunked\r\n', '3\r\nabc\r\n');
      const early = await converse(socket, head, (text) => text.endsWith('\0\0\0'));
      expect(early).not.toMatch(/^Connection:/im);
      const second = await converse(socket, `0\r\n${trailer}\r\n${GET('/healthz', LAST)}`);
      expect(statusesOf(second)).toEqual([200]);
    },
  );

  test.each([
    ['rubbish', 'rubbish\r\n\r\n', 400],
    ['a CONNECT', 'CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n', 501],
  ])('%s after an open request is rejected after its response', async (_name, bytes, status) => {
    const responses = send(GET('/hold') + GET('/hold') + bytes);
    const first = await nextHeld(adapters());
    (await nextHeld(adapters())).respond();
    first.respond();
    const received = await responses;
    expect(statusesOf(received)).toEqual([200, 200, status]);
  });

  test('malformed content that no handler reads: one response, then close', async () => {
    const responses = send(POST('/hold', 'Transfer-Encoding: chunked\r\n', 'zz\r\n'));
    (await nextHeld(adapters())).respond();
    const received = await responses;
    expect(statusesOf(received)).toEqual([200]);
    expect(received).toMatch(/^Connection: close$/im);
  });

  test('content that becomes malformed after the response gets no second response', async () => {
    const content = 'zz\r\n\r\nGET / HTTP/1.1\r\n\r\n';
    const received = await send(POST('/healthz', 'Transfer-Encoding: chunked\r\n', content));
    expect(statusesOf(received)).toEqual([405]);
  });

  test.each([
    ['a request line', 'GET /hea'],
    ['a header section', 'GET /healthz HTTP/1.1\r\nHost: x\r\n'],
    ['content', POST('/anything', 'Content-Length: 10\r\n', 'half')],
    ['chunks', POST('/anything', 'Transfer-Encoding: chunked\r\n', '5\r\nhel')],
  ])('half of %s and then FIN: 400', async (_name, bytes) => {
    const socket = await openSocket(adapters().port, alpn);
    const response = converse(socket, bytes);
    socket.end();
    expect(statusesOf(await response)).toEqual([400]);
  });

  test('a client that disconnects during a response leaves nothing open', async () => {
    const socket = await openSocket(adapters().port, alpn);
    await converse(socket, GET('/zeros/100000000'), (text) => text.length > 100_000);
    const [connection] = [...adapters().listener.connections].slice(-1);
    expect(connection?.requests.open).toBe(1);
    socket.destroy();
    await until(() => connection?.requests.open === 0);
  });
});
