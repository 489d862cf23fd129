import { expect, test } from 'vitest';
import { METHODS } from '../_client.ts';
import { overOneProtocol } from '../_everywhere.ts';
import { exchange, GET, LAST } from '../_raw.ts';
import { expectRefused } from '../_refusal.ts';

const to = (url: string, more = ''): string => `/redirect-to?url=${encodeURIComponent(url)}${more}`;

overOneProtocol(({ client, running }) => {
  const locationOf = async (url: string) => {
    const { status, headers } = await client().request(to(url));
    return [status, headers.location];
  };

  test.each(METHODS)('with method %s', async (method) => {
    const { status, headers, body } = await client().request(to('/get?a=b'), { method });
    expect([status, headers.location, body.length]).toEqual([302, '/get?a=b', 0]);
  });

  test.each([300, 301, 302, 303, 304, 305, 307, 308, 399])('with status %d', async (code) => {
    const { status, headers } = await client().request(to('/get', `&status_code=${code}`));
    expect([status, headers.location]).toEqual([code, '/get']);
  });

  test('url is required', async () => {
    await expectRefused(client(), '/redirect-to', 'url is required');
  });

  test.each([
    ['/get', '/get'],
    ['/', '/'],
    ['/a b"<>\\^`{|}', '/a%20b%22%3C%3E%5C%5E%60%7B%7C%7D'],
    ['/caf\u00e9/\u{1f5d1}', '/caf%C3%A9/%F0%9F%97%91'],
    ["/%41?a=b&c=[d]#e-._~:@!$&'()*+,;=", "/%41?a=b&c=[d]#e-._~:@!$&'()*+,;="],
    ['/a\r\nX-Injected: 1', '/a%0D%0AX-Injected:%201'],
    ['/\\evil.example', '/%5Cevil.example'],
    ['http://127.0.0.1/x', 'http://127.0.0.1/x'],
    ['https://127.0.0.1:1/x', 'https://127.0.0.1:1/x'],
    ['//127.0.0.1:1/x', '//127.0.0.1:1/x'],
    ['HTTP://a@127.0.0.1', 'HTTP://a@127.0.0.1'],
  ])('%j is sent as %s', async (url, location) => {
    expect(await locationOf(url)).toEqual([302, location]);
  });

  test('a malformed host is not a URL', async () => {
    await expectRefused(client(), to('http://a:b:c/'), 'url=http://a:b:c/ is not a URL');
    await expectRefused(client(), to('//'), 'url=// is not a URL');
  });

  test.each([
    'http://evil.example/',
    'https://evil.example',
    '//evil.example',
    '///evil.example',
    '\\\\evil.example',
    'http:\\\\evil.example',
    'http:evil.example',
    'http://127.0.0.1@evil.example/',
    'http://127.0.0.1\\@evil.example/',
    'http://127.0.0.1.evil.example/',
    'http://localhost/',
    'http://[::1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http%3A%2F%2Fevil.example',
    '\thttp://evil.example',
    'get',
    '',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://127.0.0.1/',
  ])('a redirect to %j is not allowed', async (url) => {
    const { status, headers, body } = await client().request(to(url));
    expect(status).toBe(403);
    expect(headers.location).toBeUndefined();
    expect(headers['content-type']).toBe('application/problem+json');
    expect(JSON.parse(body.toString())).toMatchObject({
      type: '/problems/redirect-not-allowed',
      detail: expect.stringMatching(/^url=.* (?:is neither|has a host)/) as unknown,
    });
  });

  test('the requested host is the one in the Host field', async () => {
    const ask = (host: string, url: string) =>
      exchange(running().port, `GET ${to(url)} HTTP/1.1\r\nHost: ${host}\r\n${LAST}\r\n`);
    expect(await ask('Example.ORG:81', 'http://example.org:82/')).toMatch(/^HTTP\/1\.1 302 /);
    expect(await ask('example.org', 'http://127.0.0.1/')).toMatch(/^HTTP\/1\.1 403 /);
    // A Host that the WHATWG URL parser rejects.
    expect(await ask('1.2.3.4.5', 'http://1.2.3.4.5/')).toMatch(/^HTTP\/1\.1 400 /);
    expect(await ask('1.2.3.4.5', 'http://example.org/')).toMatch(/^HTTP\/1\.1 403 /);
    expect(await exchange(running().port, GET(to('/get'), LAST))).toMatch(/^HTTP\/1\.1 302 /);
  });
});

overOneProtocol(({ client }) => {
  test.each([
    ['http://example.org/', 302],
    ['https://EXAMPLE.org:81/x', 302],
    ['//example.org/x', 302],
    ['http://b\u00fccher.example/', 302],
    ['http://[::1]:80/', 302],
    ['/get', 302],
    ['http://127.0.0.1/', 302],
    ['http://www.example.org/', 403],
    ['http://example.org.evil.example/', 403],
    ['ftp://example.org/', 403],
  ])('%s: %d', async (url, expected) => {
    const { status } = await client().request(to(url));
    expect(status).toBe(expected);
  });
}, '--allowed-redirect-domains=Example.org, b\u00fccher.example,[::1]');

overOneProtocol(({ client }) => {
  test.each([
    ['http://evil.example/', 302],
    ['//evil.example/', 302],
    ['javascript:alert(1)', 403],
    ['get', 403],
  ])('%s if all hosts are allowed: %d', async (url, expected) => {
    const { status } = await client().request(to(url));
    expect(status).toBe(expected);
  });
}, '--allowed-redirect-domains=*');
