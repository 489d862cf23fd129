import { describe, expect, test } from 'vitest';
import { inDialect } from './_in.ts';

describe.each(['httpbin', 'go-httpbin'] as const)('%s', (name) => {
  const client = inDialect(name);

  test.each([
    ['/redirect/1', '/get'],
    ['/redirect/2', '/relative-redirect/1'],
    ['/redirect/100?absolute=t', '/relative-redirect/99'],
    ['/redirect/1?absolute=TRUE', 'http://a.example:1/get'],
    ['/redirect/3?absolute=true', 'http://a.example:1/absolute-redirect/2'],
    ['/relative-redirect/1', '/get'],
    ['/relative-redirect/7', '/relative-redirect/6'],
    ['/absolute-redirect/1', 'http://a.example:1/get'],
    ['/absolute-redirect/5', 'http://a.example:1/absolute-redirect/4'],
  ])('%s leads to %s', async (path, location) => {
    const { status, headers } = await client().request(path, { headers: { host: 'a.example:1' } });
    expect([status, headers.location]).toEqual([302, location]);
  });

  test('by the scheme that a proxy tells', async () => {
    const { headers } = await client().request('/absolute-redirect/1', {
      headers: { host: 'a.example', 'x-forwarded-proto': 'https' },
    });
    expect(headers.location).toBe('https://a.example/get');
    const other = await client().request('/absolute-redirect/1', {
      headers: { host: 'a.example', 'x-forwarded-proto': 'javascript' },
    });
    expect(other.headers.location).toBe('http://a.example/get');
  });

  test.each(['/redirect/0', '/redirect/x', '/relative-redirect/-1', '/absolute-redirect/1.5'])(
    '%s is 400',
    async (path) => {
      expect((await client().request(path)).status).toBe(400);
    },
  );
});

describe('/redirect-to of go-httpbin', () => {
  const client = inDialect('go-httpbin', '--allowed-redirect-domains', 'b.example,a.example');

  test('tells where it may lead, in plain text', async () => {
    const refused = await client().request('/redirect-to?url=https://c.example/');
    expect(refused.status).toBe(403);
    expect(refused.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(refused.body.toString()).toContain('- a.example\n- b.example');
    const { headers } = await client().request('/redirect-to?url=https://a.example/x');
    expect(headers.location).toBe('https://a.example/x');
    const invalid = await client().request('/redirect-to');
    expect(invalid.status).toBe(400);
    expect(invalid.headers['content-type']).toBe('application/json; charset=utf-8');
  });
});
