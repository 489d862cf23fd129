import { expect, test } from 'vitest';
import { parsed } from '../../_echo.ts';
import { overBothProtocols } from '../../_everywhere.ts';

overBothProtocols(({ client, transport, running }) => {
  const scheme = transport === 'h2' || transport === 'https/1.1' ? 'https' : 'http';
  const origin = (): string => `${scheme}://127.0.0.1:${running().port}`;

  test('/get with sorted keys', async () => {
    const received = await client().request('/get?b=1&a=%C3%BC&b=2', {
      headers: { 'x-forwarded-for': '10.0.0.1, 10.0.0.2', via: 'x', 'x-b3-traceid': '1' },
    });
    expect(received.headers['content-type']).toBe('application/json');
    expect(received.body.toString()).toMatch(/^\{\n {2}"args": [^]*\}\n$/);
    expect(received.body.every((byte) => byte < 0x7f)).toBe(true);
    const view = parsed(received);
    expect(Object.keys(view)).toEqual(['args', 'headers', 'origin', 'url']);
    expect(view).toMatchObject({
      args: { a: 'ü', b: ['1', '2'] },
      headers: { Host: `127.0.0.1:${running().port}`, 'X-B3-Traceid': '1', Via: 'x' },
      origin: '10.0.0.1, 10.0.0.2',
    });
    expect(parsed(await client().request('/get'))['url']).toBe(`${origin()}/get`);
  });

  test.each([
    ['x-forwarded-proto', 'https', 'https'],
    ['x-forwarded-protocol', 'wss', 'wss'],
    ['x-forwarded-ssl', 'on', 'https'],
    ['x-forwarded-ssl', 'off', scheme],
    ['x-forwarded-proto', '$&', '$&'],
  ])('%s: %s makes the scheme of the URL %s', async (name, value, shown) => {
    const { url } = parsed(await client().request('/get', { headers: { [name]: value } }));
    expect(url).toBe(`${shown}://127.0.0.1:${running().port}/get`);
  });

  test('content by media type', async () => {
    const keys = ['args', 'data', 'files', 'form', 'headers', 'json', 'origin', 'url'];
    const bytes = Uint8Array.of(1, 0xff);
    for (const [type, body, shown] of [
      ['application/json', '{"b":[1,{"d":0,"c":null}],"a":2}', { json: { a: 2 } }],
      ['text/plain', 'x', { data: 'x', json: null }],
      ['image/png', bytes, { data: 'data:application/octet-stream;base64,Af8=', json: null }],
      ['application/x-www-form-urlencoded', 'a=1&a=2', { data: '', form: { a: ['1', '2'] } }],
    ] as const) {
      const view = parsed(
        await client().request('/post', {
          method: 'POST',
          headers: { 'content-type': type },
          body,
        }),
      );
      expect(Object.keys(view)).toEqual(keys);
      expect(view).toMatchObject(shown);
    }
    const sent = { method: 'PUT', headers: { 'content-type': 'application/json' } };
    const { body } = await client().request('/put', { ...sent, body: '{"b":{"d":0,"c":1},"a":2}' });
    expect(body.toString()).toContain(
      '"json": {\n    "a": 2,\n    "b": {\n      "c": 1,\n      "d": 0\n    }\n  },',
    );
  });

  test('fields with the same name are joined by a comma alone', async () => {
    const headers = { 'x-a': ['bar', 'baz'], accept: ['a', 'b'] };
    for (const path of ['/get', '/headers', '/anything']) {
      const view = parsed(await client().request(path, { headers }));
      expect(view).toMatchObject({ headers: { 'X-A': 'bar,baz' } });
    }
  });

  test.each([
    ['application/x-www-form-urlencoded', Uint8Array.of(0x78, 0x9c, 0xff)],
    ['application/x-www-form-urlencoded; charset=utf-8', Uint8Array.of(0x1f, 0x8b, 0xff)],
    ['multipart/form-data; boundary=B', '{"no": "form"}'],
  ])('content of the type %s that is no form is not data', async (type, body) => {
    const headers = { 'content-type': type, 'content-encoding': 'deflate' };
    const view = parsed(await client().request('/post', { method: 'POST', headers, body }));
    expect(view).toMatchObject({ data: '', form: {}, files: {}, json: null });
  });

  test('a multipart form without a boundary is data', async () => {
    const headers = { 'content-type': 'multipart/form-data' };
    const view = parsed(await client().request('/post', { method: 'POST', headers, body: 'x' }));
    expect(view).toMatchObject({ data: 'x', form: {} });
  });

  test('/anything with the method, /ip and /headers', async () => {
    const view = parsed(await client().request('/anything/x', { method: 'PATCH', body: '1' }));
    expect(view).toMatchObject({ method: 'PATCH', json: 1, data: '1' });
    expect(parsed(await client().request('/ip'))).toEqual({ origin: '127.0.0.1' });
    const { headers } = parsed(await client().request('/headers', { headers: { 'a-b': '1' } }));
    expect(headers).toMatchObject({ 'A-B': '1' });
  });

  test('CORS fields for any origin, or none', async () => {
    const plain = await client().request('/get');
    expect(plain.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-credentials': 'true',
    });
    const { status, headers } = await client().request('/get', {
      method: 'OPTIONS',
      headers: { origin: 'https://a.example', 'access-control-request-headers': 'X-A' },
    });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      allow: 'GET, HEAD, OPTIONS',
      'access-control-allow-origin': 'https://a.example',
      'access-control-allow-methods': 'GET, POST, PUT, DELETE, PATCH, OPTIONS',
      'access-control-max-age': '3600',
      'access-control-allow-headers': 'X-A',
    });
  });

  test('errors are HTML pages', async () => {
    const { status, headers, body } = await client().request('/<script>');
    expect(status).toBe(404);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(body.toString()).toContain('<title>404 Not Found</title>');
    expect(body.toString()).not.toContain('<script>');
    expect((await client().request('/nowhere', { method: 'OPTIONS' })).status).toBe(404);
    const rejected = await client().request('/get', { method: 'POST' });
    expect([rejected.status, rejected.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  test('the query cannot select a dialect', async () => {
    const view = parsed(await client().request('/get?dialect=go-httpbin'));
    expect(view['args']).toEqual({ dialect: 'go-httpbin' });
  });
}, '--dialect=httpbin');
