import { describe, expect, test } from 'vitest';
import { warningsAtStart } from '../_settings.ts';
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
  ])('%s redirects to %s', async (path, location) => {
    const { status, headers } = await client().request(path, { headers: { host: 'a.example:1' } });
    expect([status, headers.location]).toEqual([302, location]);
  });

  test('uses the forwarded scheme', async () => {
    const { headers } = await client().request('/absolute-redirect/1', {
      headers: { host: 'a.example', 'x-forwarded-proto': 'https' },
    });
    expect(headers.location).toBe('https://a.example/get');
    const other = await client().request('/absolute-redirect/1', {
      headers: { host: 'a.example', 'x-forwarded-proto': 'javascript' },
    });
    expect(other.headers.location).toBe('http://a.example/get');
  });

  const REFUSED = ['/redirect/0', '/redirect/x', '/relative-redirect/-1', '/absolute-redirect/1.5'];
  test.each(REFUSED)('%s is 400', async (path) => {
    expect((await client().request(path)).status).toBe(400);
  });
});

describe('/redirect-to of go-httpbin', () => {
  const client = inDialect('go-httpbin', '--allowed-redirect-domains', 'b.example,a.example');

  test('lists the allowed hosts in plain text', async () => {
    const rejected = await client().request('/redirect-to?url=https://c.example/');
    expect(rejected.status).toBe(403);
    expect(rejected.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(rejected.body.toString()).toContain('- a.example\n- b.example');
    const { headers } = await client().request('/redirect-to?url=https://a.example/x');
    expect(headers.location).toBe('https://a.example/x');
    const invalid = await client().request('/redirect-to');
    expect(invalid.status).toBe(400);
    expect(invalid.headers['content-type']).toBe('application/json; charset=utf-8');
  });
});

/** Redirects that are allowed if no hosts are listed; the wirebin dialect responds with 403. */
const ANYWHERE = [
  ['https://b.example/x?y=z', 'https://b.example/x?y=z'],
  ['//b.example', '//b.example'],
  ['get', 'get'],
  ['../a b', '../a%20b'],
  ['ftp://b.example/', 'ftp://b.example/'],
  ['http:\\\\b.example', 'http:%5C%5Cb.example'],
  ['https://b\u00fccher.example/\r\nX: y', 'https://b%C3%BCcher.example/%0D%0AX:%20y'],
] as const;

describe.each(['httpbin', 'go-httpbin'] as const)('/redirect-to of %s', (name) => {
  const client = inDialect(name);
  const guarded = inDialect(name, '--allowed-redirect-domains', 'a.example');

  test.each(ANYWHERE)('redirects anywhere: %j', async (url, location) => {
    const target = `/redirect-to?url=${encodeURIComponent(url)}`;
    const { status, headers } = await client().request(`${target}&status_code=307`);
    expect([status, headers.location]).toEqual([307, location]);
  });

  test.each([
    ['https://a.example/x', 302],
    ['https://b.example/x', 403],
    ['get', 403],
  ])('with a list only to its hosts: %s', async (url, expected) => {
    const { status } = await guarded().request(`/redirect-to?url=${url}`);
    expect(status).toBe(expected);
  });

  test.each([
    [client, 'http://b.example/', 200],
    [guarded, 'http://b.example/', 403],
    [guarded, 'http://a.example/', 200],
  ])('Refresh leads where a redirect may lead', async (from, url, expected) => {
    const { status } = await from().request(`/response-headers?Refresh=0;url=${url}`);
    expect(status).toBe(expected);
  });

  test.each([
    [[], true],
    [['--allowed-redirect-domains', 'a.example'], false],
    [['--disable', '/redirect-to'], false],
  ])('warns at startup with %j: %s', async (args, isWarned) => {
    const warnings = await warningsAtStart('--dialect', name, ...args);
    const expected = `/redirect-to redirects to any host, as in ${name}, `;
    expect(warnings.map((warning) => warning.startsWith(expected))).toEqual(isWarned ? [true] : []);
  });
});

describe.each(['httpbin', 'go-httpbin'])('?dialect=%s', (name) => {
  const client = inDialect('wirebin');

  test('applies the restrictions of the service', async () => {
    const target = `/redirect-to?dialect=${name}&url=`;
    expect((await client().request(`${target}https://b.example/`)).status).toBe(403);
    expect((await client().request(`${target}/get`)).status).toBe(302);
  });
});
