import { describe, expect, test } from 'vitest';
import { parsed } from '../../_echo.ts';
import { inDialect } from '../_in.ts';

const client = inDialect('go-httpbin', '--max-body-size', '1024');
const TEXT = 'text/plain; charset=utf-8';

describe('/base64', () => {
  test.each([
    ['/base64/dGVzdC1pbWFnZQ==', TEXT, 'test-image'],
    ['/base64/decode/YWJjMTIzIT8kKiYoKSctPUB-', TEXT, `abc123!?$*&()'-=@~`],
    ['/base64/decode/8J%2BZiywg8J%2BMjSEK4oCm', TEXT, '🙋, 🌍!\n…'],
    ['/base64/encode/%C3%BF%C3%BF%C3%BF~', TEXT, 'w7_Dv8O_fg=='],
    ['/base64/e30=?content-type=application/json', 'application/json', '{}'],
    ['/base64/PGI-JyI=?content-type=text/html', 'text/html', '&lt;b&gt;&#39;&#34;'],
    ['/base64/PGI-JyI=?content-type=%20', TEXT, `<b>'"`],
    ['/base64/PGI-JyI=?content-type=text/plain', 'text/plain', `<b>'"`],
    ['/base64/PGI-JyI=?content-type=nonsense', 'nonsense', '&lt;b&gt;&#39;&#34;'],
  ])('%s', async (path, type, content) => {
    const { status, headers, body } = await client().request(path);
    expect([status, headers['content-type'], body.toString()]).toEqual([200, type, content]);
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  test.each([
    ['/base64/invalid_base64', 'decode failed'],
    ['/base64/ab_+', 'decode failed'],
    ['/base64/a===', 'decode failed'],
    ['/base64/unknown/YQ==', 'invalid operation: unknown'],
    [`/base64/encode/${'X'.repeat(1025)}`, 'input data exceeds max length of 1024'],
  ])('%.30s is 400', async (path, detail) => {
    const received = await client().request(path);
    expect(received.status).toBe(400);
    expect(parsed(received)['detail']).toContain(detail);
  });

  test.each(['/base64/', '/base64/decode/', '/base64/decode/YQ==/x'])('%s is 404', async (path) => {
    expect((await client().request(path)).status).toBe(404);
  });
});

describe('/response-headers', () => {
  test('sets fields and shows them as JSON', async () => {
    const received = await client().request('/response-headers?Foo=1&Bar=2&Bar=%C3%BC&<b>=x', {
      method: 'DELETE',
    });
    expect(received.headers).toMatchObject({ foo: '1', bar: '2, \u00c3\u00bc' });
    expect(received.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(parsed(received)).toEqual({
      '<b>': ['x'],
      Bar: ['2', 'ü'],
      'Content-Type': ['application/json; charset=utf-8'],
      Foo: ['1'],
    });
  });

  test.each([
    ['text/plain', false],
    ['application/json; charset=utf8', false],
    ['application/octet-string', false],
    ['text/html', true],
    ['image/png', true],
    ['x', true],
  ])('markup is escaped as %s: %s', async (type, escaped) => {
    const query = `Content-Type=${encodeURIComponent(type)}&xss=%3Cb%3E&%3Cb%3E=xss`;
    const received = await client().request(`/response-headers?${query}`);
    expect(received.headers['content-type']).toBe(type);
    const markup = escaped ? '&lt;b&gt;' : '<b>';
    expect(parsed(received)).toMatchObject({ xss: [markup], [markup]: ['xss'] });
  });

  const REFUSED = ['content-length=1', 'Content-Type=%20a', 'ETag=a&ETag=b'];
  test.each(REFUSED)('%s is 400', async (query) => {
    expect((await client().request(`/response-headers?${query}`)).status).toBe(400);
  });
});

const set = async (query: string, headers: Record<string, string> = {}): Promise<unknown> => {
  const received = await client().request(`/cookies/set?${query}`, { headers });
  expect([received.status, received.headers.location]).toEqual([302, '/cookies']);
  return received.headers['set-cookie'];
};

describe('/cookies', () => {
  test.each<[query: string, headers: Record<string, string>, cookies: string[]]>([
    ['k1=v1&k2=v2&k1=x', {}, ['k1=v1; Path=/; HttpOnly', 'k2=v2; Path=/; HttpOnly']],
    ['k=v', { 'x-forwarded-ssl': 'on' }, ['k=v; Path=/; Secure; HttpOnly']],
    ['k=v&attr[Secure]=false', { 'x-forwarded-proto': 'https' }, ['k=v; Path=/; HttpOnly']],
    ['k=v&attr[secure]=1&attr[HttpOnly]=0', {}, ['k=v; Path=/; Secure']],
    ['k=v&attr[Path]=/x&attr[DOMAIN]=a.com', {}, ['k=v; Path=/x; Domain=a.com; HttpOnly']],
    ['k=v&attr[SameSite]=LAX', {}, ['k=v; Path=/; SameSite=Lax; HttpOnly']],
    ['k=v&attr[SameSite]=bogus&attr[x]=y', {}, ['k=v; Path=/; HttpOnly']],
  ])('/cookies/set?%s', async (query, headers, cookies) => {
    expect(await set(query, headers)).toEqual(cookies);
  });

  test('/cookies/delete', async () => {
    const { headers } = await client().request('/cookies/delete?k&attr[Path]=/x');
    expect(headers['set-cookie']).toHaveLength(1);
    const [cookie = ''] = headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^k=; Path=\/x; Max-Age=0; HttpOnly; Expires=\w{3}, .* GMT$/);
    expect(Date.parse(cookie.replace(/.*Expires=/, ''))).toBeLessThan(
      Date.now() - 364 * 86_400_000,
    );
  });

  test('/cookies', async () => {
    const received = await client().request('/cookies', {
      method: 'DELETE',
      headers: { cookie: 'a=1' },
    });
    expect(parsed(received)).toEqual({ cookies: { a: '1' } });
  });
});
