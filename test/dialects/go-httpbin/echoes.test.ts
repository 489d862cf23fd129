import { expect, test } from 'vitest';
import { parsed } from '../../_echo.ts';
import { overBothProtocols } from '../../_everywhere.ts';

const FIELDS = 'args headers method origin url data files form json'.split(' ');

overBothProtocols(({ client, transport, running }) => {
  const http2 = transport.startsWith('h2');

  test('/get with sorted keys', async () => {
    const received = await client().request('/get?b=1&a=<&b=2', {
      headers: { 'x-forwarded-for': '10.0.0.1, 10.0.0.2', 'X-a-B': ['1', '2'], te: 'trailers' },
    });
    expect(received.headers['content-type']).toBe('application/json; charset=utf-8');
    const text = received.body.toString();
    expect(text).toMatch(/^\{\n {2}"args": \{\n {4}"a": \[\n {6}"<"\n {4}\],\n {4}"b"[^]*\}\n$/);
    const view = parsed(received);
    expect(Object.keys(view)).toEqual(['args', 'headers', 'method', 'origin', 'url']);
    expect(view).toMatchObject({
      headers: {
        Host: [`127.0.0.1:${running().port}`],
        Te: ['trailers'],
        'X-A-B': http2 ? expect.any(Array) : ['1', '2'],
      },
      method: 'GET',
      origin: '10.0.0.1',
    });
    const names = Object.keys(view['headers'] as object);
    expect(names).toEqual(names.toSorted());
  });

  test.each([
    ['fly-client-ip', '10.1.1.1'],
    ['cf-connecting-ip', '10.1.1.2'],
    ['fastly-client-ip', '10.1.1.3'],
    ['true-client-ip', '10.1.1.4'],
  ])('%s has the client address', async (name, address) => {
    const headers = { [name]: address, 'x-forwarded-for': '10.0.0.1' };
    expect(parsed(await client().request('/ip', { headers }))).toEqual({ origin: address });
  });

  test('/ip?format=text', async () => {
    const { headers, body } = await client().request('/ip?format=text');
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(body.toString()).toBe('127.0.0.1\n');
  });

  const bytes = Uint8Array.of(1, 0xff, 0xfe);
  const form = 'application/x-www-form-urlencoded';
  test.each<[type: string, body: string | Uint8Array, shown: object | number]>([
    ['application/json; charset=utf-8', '{"b":1}', { data: '{"b":1}', json: { b: 1 } }],
    ['application/json', ' null', { data: ' null', json: null }],
    ['application/json', '{', 400],
    ['text/plain', 'x', { data: 'x', json: null }],
    ['text/plain', bytes, { data: 'data:text/plain;base64,Af/+' }],
    ['text/html', '<p>', { data: '<p>' }],
    [form, 'b=1&a=2&b=3', { data: 'b=1&a=2&b=3', form: { a: ['2'], b: ['1', '3'] } }],
    [form, '%ZZ', 400],
    [form, bytes, 400],
    ['multipart/form-data; boundary=x', 'x', 400],
    ['multipart/form-data', 'x', 400],
    [
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="a"; filename="f"\r\n\r\nF\r\n' +
        '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n',
      { files: { a: ['F'] }, form: { a: ['1'] } },
    ],
    ['image/png', 'x', { data: 'data:image/png;base64,eA==' }],
    // Standard base64 (RFC 2397, RFC 4648 4), with a slash and a plus.
    ['image/png', bytes, { data: 'data:image/png;base64,Af/+' }],
    ['', 'x', { data: 'data:application/octet-stream;base64,eA==' }],
    ['', '', { data: '', form: {}, files: {}, json: null }],
  ])('%s: %o', async (type, body, shown) => {
    const headers = type === '' ? {} : { 'content-type': type };
    const received = await client().request('/post', { method: 'POST', headers, body });
    if (typeof shown === 'number') {
      expect(received.status).toBe(shown);
      expect(Object.keys(parsed(received))).toEqual(['status_code', 'error', 'detail']);
      return;
    }
    const view = parsed(received);
    expect(Object.keys(view)).toEqual(FIELDS);
    expect(view).toMatchObject({ method: 'POST', ...shown });
  });

  test('/upload counts the bytes received', async () => {
    const body = Buffer.alloc(3 * 1024 ** 2);
    for (const method of ['POST', 'PUT', 'PATCH']) {
      const view = parsed(await client().request('/upload?a=1', { method, body }));
      expect(view).toMatchObject({ args: { a: ['1'] }, method, bytes_received: body.length });
      expect(Object.keys(view)).toEqual([...FIELDS.slice(0, 5), 'bytes_received']);
    }
    expect((await client().request('/upload')).status).toBe(405);
  });

  test('content beyond the limit is 400', async () => {
    const sent = { method: 'POST', body: Buffer.alloc(2 * 1024 ** 2 + 1) };
    const received = await client().request('/anything', sent);
    expect(received.status).toBe(400);
    expect(parsed(received)).toMatchObject({ status_code: 400, error: 'Bad Request' });
  });

  test('404 and 405 are plain text', async () => {
    for (const [method, path, status, text] of [
      ['GET', '/nowhere', 404, '404 page not found\n'],
      ['GET', '/bytes/', 404, '404 page not found\n'],
      ['POST', '/get', 405, 'Method Not Allowed\n'],
    ] as const) {
      const received = await client().request(path, { method });
      expect(received.status).toBe(status);
      expect(received.headers['content-type']).toBe('text/plain; charset=utf-8');
      expect(received.body.toString()).toBe(text);
    }
    expect((await client().request('/anything/')).status).toBe(200);
    expect((await client().request('/bytes/x')).status).toBe(400);
  });

  test('OPTIONS is 200 for any path, with CORS fields for any origin', async () => {
    const { status, headers } = await client().request('/nowhere', { method: 'OPTIONS' });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST, HEAD, PUT, DELETE, PATCH, OPTIONS',
    });
    expect(headers).not.toHaveProperty('access-control-allow-headers');
  });

  test('HEAD has no Content-Length', async () => {
    const { status, headers } = await client().request('/anything', { method: 'HEAD' });
    expect(status).toBe(200);
    expect(headers).not.toHaveProperty('content-length');
    expect(headers).not.toHaveProperty('transfer-encoding');
    expect((await client().request('/get')).headers).toHaveProperty('content-length');
  });
}, '--dialect=go-httpbin');
