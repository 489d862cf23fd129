import { expect, test } from 'vitest';
import { overBothProtocols } from '../_everywhere.ts';

const VALIDATORS = { etag: '"wirebin-cache-v1"', 'last-modified': 'Mon, 01 Jan 2024 00:00:00 GMT' };
const INT64_MAX = '9223372036854775807';

overBothProtocols(({ client, transport }) => {
  test('echoes, with validators', async () => {
    const { status, headers, body } = await client().request('/cache?a=1');
    expect(status).toBe(200);
    expect(headers).toMatchObject({ ...VALIDATORS, 'content-type': 'application/json' });
    expect(JSON.parse(body.toString())).toMatchObject({ path: '/cache', args: { a: '1' } });
  });

  test.each([
    ['if-none-match', VALIDATORS.etag],
    ['if-none-match', '"another"'],
    ['if-none-match', 'nonsense'],
    ['if-none-match', ''],
    ['if-modified-since', VALIDATORS['last-modified']],
    ['if-modified-since', 'Thu, 01 Jan 1970 00:00:00 GMT'],
    ['if-modified-since', 'nonsense'],
  ])('RFC 9110 15.4.5: %s: %s gives 304 with the validators', async (name, value) => {
    const { status, headers, body } = await client().request('/cache', {
      headers: { [name]: value },
    });
    expect(status).toBe(304);
    expect(headers).toMatchObject(VALIDATORS);
    expect(headers['content-type']).toBeUndefined();
    expect(headers['content-length']).toBeUndefined();
    expect(body).toHaveLength(0);
  });

  test('If-Match does not give 304', async () => {
    const { status } = await client().request('/cache', { headers: { 'if-match': '"x"' } });
    expect(status).toBe(200);
  });

  test.each([
    ['0', '0'],
    ['60', '60'],
    ['9007199254740993', '9007199254740993'],
    [INT64_MAX, INT64_MAX],
    [`000${INT64_MAX}`, INT64_MAX],
  ])('/cache/%s has max-age', async (n, age) => {
    const { status, headers, body } = await client().request(`/cache/${n}`, {
      headers: { 'if-none-match': '*' },
    });
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe(`public, max-age=${age}`);
    expect(JSON.parse(body.toString())).toMatchObject({ path: `/cache/${n}` });
  });

  test('connection=close is echoed and honored', async () => {
    const { headers, body } = await client().request('/cache/1?connection=close');
    const http1 = transport.endsWith('1.1');
    expect(headers.connection).toBe(http1 ? 'close' : undefined);
    expect(JSON.parse(body.toString())).toHaveProperty('connection');
  });
});
