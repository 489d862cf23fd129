import { expect, test } from 'vitest';
import { overBothProtocols } from '../_everywhere.ts';

overBothProtocols(({ client }) => {
  test.each([
    ['/anything', '*/*'],
    ['/anything/a/b', '*/*'],
    ['/etag/v1', '*/*'],
    ['/respond', 'application/json'],
    // Takes any method, but reads no content.
    ['/status/200', undefined],
    ['/get', undefined],
    ['/post', undefined],
  ])('RFC 10008 3: OPTIONS %s has Accept-Query %s', async (target, expected) => {
    const { headers } = await client().request(target, { method: 'OPTIONS' });
    expect(headers['accept-query']).toBe(expected);
  });

  test('RFC 10008 2: QUERY is echoed with its content', async () => {
    const { status, body } = await client().request('/anything', {
      method: 'QUERY',
      headers: { 'content-type': 'application/json' },
      body: '{"a":1}',
    });
    expect(status).toBe(200);
    expect(JSON.parse(body.toString())).toMatchObject({ method: 'QUERY', json: { a: 1 } });
  });

  test.each([
    ['if-none-match', '"v1"', 304],
    ['if-none-match', '"v0"', 200],
    ['if-match', '"v0"', 412],
  ])('RFC 10008 2.6: QUERY with %s: %s is %d', async (name, value, expected) => {
    const headers = { 'content-type': 'text/plain', [name]: value };
    const sent = { method: 'QUERY', headers, body: 'a' };
    expect((await client().request('/etag/v1', sent)).status).toBe(expected);
  });

  test('RFC 10008 2.8: QUERY with Range gets the range', async () => {
    const headers = { 'content-type': 'text/plain', range: 'bytes=0-1' };
    const sent = { method: 'QUERY', headers, body: 'a' };
    const { status, body } = await client().request('/range/9?dialect=go-httpbin', sent);
    expect([status, body.toString()]).toEqual([206, 'ab']);
  });

  test('Fetch 4.8: a page of another origin may send QUERY after a preflight', async () => {
    const { headers } = await client().request('/anything', {
      method: 'OPTIONS',
      headers: { origin: 'https://example.com', 'access-control-request-method': 'QUERY' },
    });
    expect(headers['access-control-allow-methods']).toMatch(/\bQUERY\b/);
  });
});
