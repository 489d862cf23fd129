import { describe, expect, test } from 'vitest';
import { sharedAdapters } from '../../_adapters.ts';
import { converse, exchange, GET, LAST, openSocket, POST, statusesOf } from '../../_raw.ts';
import { HTTP1 } from '../../_shared.ts';

const TRACE = (path: string, fields = ''): string =>
  `TRACE ${path} HTTP/1.1\r\nHost: x\r\n${fields}\r\n`;

/** The JSON contents of the responses in the text. */
function viewsOf(responses: string): Record<string, unknown>[] {
  return responses
    .split(/(?=HTTP\/1\.1 \d{3})/)
    .map((response) => JSON.parse(response.slice(response.indexOf('\r\n\r\n') + 4)));
}

describe.each(HTTP1)('%s', (_, alpn) => {
  const adapters = sharedAdapters();
  const send = (bytes: string): Promise<string> => exchange(adapters().port, bytes, alpn);

  test('HTTP/1.0 keep-alive persists (RFC 9112 9.3)', async () => {
    const keep = 'GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n';
    const received = await send(`${keep}${keep}GET /healthz HTTP/1.0\r\n\r\n`);
    expect(statusesOf(received)).toEqual([200, 200, 200]);
    expect(received.match(/^Connection: keep-alive$/gim)).toHaveLength(2);
  });

  test('persistence by default needs no field (RFC 9112 9.3)', async () => {
    const received = await send(GET('/healthz') + GET('/healthz', LAST));
    expect(received.match(/^Connection: .*$/gim)).toEqual(['Connection: close']);
    expect(received).not.toMatch(/^Keep-Alive/im);
  });

  test('the authority of an absolute target wins over Host (RFC 9112 3.2.2)', async () => {
    const received = await send(GET('http://other:81/anything?a=b', LAST));
    expect(viewsOf(received)).toMatchObject([
      { url: 'http://other:81/anything?a=b', path: '/anything', query: 'a=b' },
    ]);
  });

  test('TRACE is rejected or, where any method is supported, echoed', async () => {
    const received = await send(TRACE('/healthz') + TRACE('/anything', LAST));
    expect(statusesOf(received)).toEqual([405, 200]);
    expect(received).toMatch(/^Allow: GET, HEAD, OPTIONS$/im);
    expect(received).toContain('"method": "TRACE"');
  });

  test('every one of 1,500 fields is echoed', async () => {
    const fields = Array.from({ length: 1500 }, (_field, at) => `X-${at}: ${at}\r\n`).join('');
    const [view] = viewsOf(await send(GET('/anything', fields + LAST)));
    expect(view?.['raw_headers']).toHaveLength(1502);
    expect(view?.['headers']).toMatchObject({ 'x-0': '0', 'x-1499': '1499' });
  });

  test('100 (Continue) is sent when the content is read (RFC 9110 10.1.1)', async () => {
    const socket = await openSocket(adapters().port, alpn);
    const head = POST('/anything', `Expect: 100-continue\r\nContent-Length: 2\r\n${LAST}`);
    const interim = await converse(socket, head, (text) => text.endsWith('\r\n\r\n'));
    expect(interim).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    const received = await converse(socket, 'hi');
    expect(statusesOf(received)).toEqual([200]);
    expect(viewsOf(received)).toMatchObject([{ body: 'hi' }]);
  });

  test('a client that is still sending receives the complete 413', async () => {
    const socket = await openSocket(adapters().port, alpn);
    const errors: Error[] = [];
    socket.on('error', (error) => errors.push(error));
    const length = 64 * 1024 * 1024;
    const head = POST('/anything', `Content-Length: ${length}\r\n${LAST}`);
    const response = converse(socket, head, (text) => text.endsWith('}\n'));
    const piece = Buffer.alloc(64 * 1024);
    let sent = 0;
    const pour = (): void => {
      while (sent < length / 2 && socket.writable) {
        sent += piece.length;
        if (!socket.write(piece)) return;
      }
    };
    socket.on('drain', pour);
    pour();
    const received = await response;
    expect(statusesOf(received)).toEqual([413]);
    expect(errors).toEqual([]);
  });
});
