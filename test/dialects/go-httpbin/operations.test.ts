import { describe, expect, test } from 'vitest';
import { parsed } from '../../_echo.ts';
import { inDialect } from '../_in.ts';

describe('without the settings', () => {
  const client = inDialect('go-httpbin');

  test('/env and /hostname exist, but reveal nothing', async () => {
    expect(parsed(await client().request('/env'))).toEqual({ env: {} });
    expect(parsed(await client().request('/hostname'))).toEqual({ hostname: 'go-httpbin' });
  });

  test('/dump/request has sorted field names', async () => {
    const { headers, body } = await client().request('/dump/request?a=b', {
      method: 'POST',
      headers: { host: 'test-host', 'x-b': ['2', '1'], 'x-a': '1', 'transfer-encoding': 'chunked' },
      body: 'content',
    });
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(body.toString()).toBe(
      'POST /dump/request?a=b HTTP/1.1\r\nHost: test-host\r\nTransfer-Encoding: chunked\r\n' +
        'Connection: keep-alive\r\nX-A: 1\r\nX-B: 2\r\nX-B: 1\r\n\r\ncontent',
    );
  });

  test('/etag evaluates conditions against its own tag', async () => {
    const { status, headers, body } = await client().request('/etag/abc');
    expect([status, headers.etag]).toEqual([200, '"abc"']);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(JSON.parse(body.toString())).toMatchObject({ args: {}, method: 'GET' });
    const again = await client().request('/etag/abc', { headers: { 'if-none-match': '"abc"' } });
    expect(again.status).toBe(304);
    const other = await client().request('/etag/abc', { headers: { 'if-match': '"x"' } });
    expect([other.status, other.headers['content-type']]).toEqual([
      412,
      'application/json; charset=utf-8',
    ]);
  });
});

describe('with the settings', () => {
  const client = inDialect('go-httpbin', '--hostname-enabled');

  test('/env and /hostname show the machine', async () => {
    const { hostname } = parsed(await client().request('/hostname'));
    expect(hostname).not.toBe('go-httpbin');
  });
});
