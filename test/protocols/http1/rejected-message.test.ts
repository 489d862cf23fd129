import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { sharedAdapters, until } from '../../_adapters.ts';
import { INSPECTED } from '../../_inspected.ts';
import { converse, GET, openSocket, POST } from '../../_raw.ts';
import { connectionOf, HTTP1 } from '../../_shared.ts';

const OK = GET('/healthz');
const HELLO = POST('/anything', 'Content-Length: 5\r\n', 'hello');

describe.each(HTTP1)('%s: the recorded bytes of a rejected message', (_, alpn) => {
  const adapters = sharedAdapters();

  test.each([
    ['an unknown method', 'FOO /a HTTP/1.1\r\n\r\n', 'FOO /a HTTP/1.1\r\n\r\n'],
    ['empty lines before it', '\r\n\r\nFOO /a HTTP/1.1\r\n\r\n', '\r\n\r\nFOO /a HTTP/1.1\r\n\r\n'],
    ['after a request', `${OK}FOO /a HTTP/1.1\r\n\r\n`, 'FOO /a HTTP/1.1\r\n\r\n'],
    ['rubbish after a request', `${OK}rubbish`, 'rubbish'],
    ['after content', `${HELLO}FOO /a HTTP/1.1\r\n\r\n`, 'FOO /a HTTP/1.1\r\n\r\n'],
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

  // With --inspect the whole head is known.
  test.skipIf(INSPECTED).each([
    ['the first message', '', 'GET / HTTP/1.1\r\nCoo…kie: a\r\nA b: c\r\n'],
    ['a later one', OK, '…kie: a\r\nA b: c\r\n'],
  ])('%s in pieces has a mark where bytes may be missing', async (_name, first, text) => {
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
    expect(adapters().messages.slice(before)).toEqual([{ text }]);
  });

  test('CONNECT is reported as Node has parsed it', async () => {
    const before = adapters().messages.length;
    const socket = await openSocket(adapters().port, alpn);
    await converse(socket, `${OK}CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n`);
    socket.destroy();
    expect(adapters().messages.slice(before)).toEqual([{ method: 'CONNECT', target: 'x:1' }]);
  });
});
