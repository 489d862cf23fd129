import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { sharedAdapters, until } from '../../_adapters.ts';
import { converse, GET, openSocket, POST } from '../../_raw.ts';
import { connectionOf, HTTP1 } from '../../_shared.ts';

const OK = GET('/healthz');
const HELLO = POST('/anything', 'Content-Length: 5\r\n', 'hello');

describe.each(HTTP1)('%s: the recorded bytes of a rejected message', (_, alpn) => {
  const adapters = sharedAdapters();

  test.each([
    ['an unknown version', 'GET /a HTTP/2.1\r\n\r\n', 'GET /a HTTP/2.1\r\n\r\n'],
    ['empty lines before it', '\r\n\r\nGET /a HTTP/2.1\r\n\r\n', '\r\n\r\nGET /a HTTP/2.1\r\n\r\n'],
    ['after a request', `${OK}GET /a HTTP/2.1\r\n\r\n`, 'GET /a HTTP/2.1\r\n\r\n'],
    ['rubbish after a request', `${OK}rub(bish`, 'rub(bish'],
    ['after content', `${HELLO}F(O /a HTTP/1.1\r\n\r\n`, 'F(O /a HTTP/1.1\r\n\r\n'],
    ['a version, after content', `${HELLO}GET / HTTP/7.7\r\n\r\n`, 'GET / HTTP/7.7\r\n\r\n'],
    [
      'a field, after a request',
      `${OK}GET / HTTP/1.1\r\nA b: c\r\n`,
      'GET / HTTP/1.1\r\nA b: c\r\n',
    ],
    ['bytes that are not text', '\x15\x03\0\xff\r\n', '\x15\x03\0\xff\r\n'],
  ])('%s', async (_name, bytes, text) => {
    const before = adapters().messages.length;
    const socket = await openSocket(adapters().port, alpn);
    await converse(socket, bytes);
    socket.destroy();
    expect(adapters().messages.slice(before)).toEqual([{ text }]);
  });

  test.each([
    ['the first message', ''],
    ['a later one', OK],
  ])('%s in pieces is whole', async (_name, first) => {
    const before = adapters().messages.length;
    const socket = await openSocket(adapters().port, alpn);
    if (first !== '') await converse(socket, first, (received) => received.endsWith('OK'));
    const closed = converse(socket, 'GET / HTTP/1.1\r\nCoo');
    const connection = await connectionOf(adapters(), socket);
    await until(() => connection.protocol !== undefined);
    await pause(50);
    socket.write('kie: a\r\nA b: c\r\n');
    await closed;
    socket.destroy();
    const text = 'GET / HTTP/1.1\r\nCookie: a\r\nA b: c\r\n';
    expect(adapters().messages.slice(before)).toEqual([{ text }]);
  });

  test('CONNECT is reported as it was sent', async () => {
    const before = adapters().messages.length;
    const socket = await openSocket(adapters().port, alpn);
    await converse(socket, `${OK}CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n`);
    socket.destroy();
    const text = 'CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n';
    expect(adapters().messages.slice(before)).toEqual([{ text }]);
  });
});
