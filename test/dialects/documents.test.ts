import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { parsed } from '../_echo.ts';
import { inDialect } from './_in.ts';

describe.each([
  ['httpbin', 'application/json', 'text/plain'],
  ['go-httpbin', 'application/json; charset=utf-8', 'text/plain; charset=utf-8'],
] as const)('%s', (name, json, plain) => {
  const client = inDialect(name);

  test.each([
    ['/html', 'text/html; charset=utf-8', '<p>Availing himself of the mild, summer-cool weather'],
    ['/json', json, '"title": "Sample Slide Show"'],
    ['/xml', 'application/xml', "<?xml version='1.0' encoding='us-ascii'?>"],
    ['/robots.txt', plain, 'Disallow: /deny'],
  ])('%s', async (path, type, part) => {
    const { status, headers, body } = await client().request(path);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe(type);
    expect(body.toString()).toContain(part);
    expect(body.every((byte) => byte < 0x80)).toBe(true);
    const again = await client().request(path, {
      headers: { 'if-none-match': headers.etag ?? '' },
    });
    expect(again.status).toBe(304);
  });

  test.each([
    ['/gzip', 'gzip', gunzipSync, 'gzipped'],
    ['/deflate', 'deflate', inflateSync, 'deflated'],
    ...(name === 'httpbin' ? [['/brotli', 'br', brotliDecompressSync, 'brotli'] as const] : []),
  ] as const)('%s', async (path, coding, decode, mark) => {
    const { headers, body } = await client().request(`${path}?a=1`);
    expect(headers).toMatchObject({ 'content-encoding': coding, 'content-type': json });
    const view = JSON.parse(decode(body).toString()) as object;
    expect(view).toMatchObject({ [mark]: true, method: 'GET', origin: '127.0.0.1' });
    expect(view).toHaveProperty('headers.Host');
  });

  test('/cache', async () => {
    const first = await client().request('/cache');
    expect(first.headers['content-type']).toBe(json);
    expect(Object.keys(parsed(first))).toContain('origin');
    expect(first.headers).toMatchObject({ etag: expect.stringMatching(/^"/) as unknown });
    const again = await client().request('/cache', { headers: { 'if-none-match': '"x"' } });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    const { headers } = await client().request('/cache/60');
    expect(headers['cache-control']).toBe('public, max-age=60');
    expect((await client().request('/cache/x')).status).toBe(400);
  });
});

describe('httpbin', () => {
  const client = inDialect('httpbin');

  test('an image that Accept excludes', async () => {
    const received = await client().request('/image', { headers: { accept: 'image/raw' } });
    expect(received.status).toBe(406);
    expect(parsed(received)).toMatchObject({
      accept: ['image/webp', 'image/svg+xml', 'image/jpeg', 'image/png', 'image/*'],
    });
    expect((await client().request('/image/jpg')).status).toBe(200);
    expect((await client().request('/image/raw')).status).toBe(400);
  });

  test('/response-headers includes Content-Length and Content-Type in the JSON', async () => {
    const { headers, body } = await client().request('/response-headers?a=1&a=%3C&b=2');
    expect(headers).toMatchObject({ a: '1, <', b: '2', 'content-type': 'application/json' });
    expect(body.toString()).not.toContain('<');
    expect(JSON.parse(body.toString())).toEqual({
      'Content-Length': String(body.length),
      'Content-Type': 'application/json',
      a: ['1', '<'],
      b: '2',
    });
    const typed = await client().request('/response-headers?content-type=text/plain');
    expect(typed.headers['content-type']).toBe('text/plain');
    expect((await client().request('/response-headers?a%20b=1')).status).toBe(400);
  });

  test('every parameter of /cookies/set is a cookie', async () => {
    for (const [scheme, attributes] of [
      ['http', 'Path=/'],
      ['https', 'Path=/; Secure'],
    ] as const) {
      const headers = { 'x-forwarded-proto': scheme };
      const { headers: set } = await client().request('/cookies/set?a=1&path=2', { headers });
      expect(set['set-cookie']).toEqual([`a=1; ${attributes}`, `path=2; ${attributes}`]);
    }
  });
});

describe('go-httpbin', () => {
  const client = inDialect('go-httpbin');

  test('images', async () => {
    const received = await client().request('/image', { headers: { accept: 'image/raw' } });
    expect(received.status).toBe(415);
    expect(parsed(received)).toEqual({ status_code: 415, error: 'Unsupported Media Type' });
    for (const format of ['jpg', 'raw']) {
      expect((await client().request(`/image/${format}`)).status).toBe(404);
    }
    expect((await client().request('/image/svg')).headers['content-type']).toBe('image/svg+xml');
  });

  test('/ is an HTML page, /version names the service', async () => {
    const { headers, body } = await client().request('/');
    expect(headers['content-security-policy']).toContain("default-src 'self'");
    expect(body.toString()).toContain('/redirect/{n}');
    expect(body.toString()).not.toContain('{stale_after}');
    expect(parsed(await client().request('/version'))).toMatchObject({ service: 'wirebin' });
    expect(parsed(await client().request('/uuid'))['uuid']).toMatch(/^[\da-f-]{36}$/);
    expect(parsed(await client().request('/user-agent'))).toEqual({ 'user-agent': '' });
  });
});
