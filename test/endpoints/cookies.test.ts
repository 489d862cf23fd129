import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { connectHttp2 } from '../../src/net/http2-sessions.ts';
import { isHttp2 } from '../_client.ts';
import { parsed } from '../_echo.ts';
import { overBothProtocols, overOneProtocol } from '../_everywhere.ts';
import { expectRefused } from '../_refusal.ts';

overOneProtocol(({ client }) => {
  const set = async (query: string): Promise<string[]> => {
    const { status, headers, body } = await client().request(`/cookies/set?${query}`);
    expect(status).toBe(302);
    expect(headers.location).toBe('/cookies');
    expect(body).toHaveLength(0);
    return headers['set-cookie'] ?? [];
  };

  test("GET shows the request's cookies", async () => {
    const received = await client().request('/cookies', {
      headers: { cookie: 'a=1; b="x y"; a=2; é=%3B; __proto__=z' },
    });
    expect(received.status).toBe(200);
    expect(received.headers['content-type']).toBe('application/json');
    const { cookies } = parsed(received) as { cookies: object };
    expect(Object.entries(cookies)).toEqual([
      ['a', '1'],
      ['b', '"x y"'],
      ['é', '%3B'],
      ['__proto__', 'z'],
    ]);
    expect(parsed(await client().request('/cookies'))).toEqual({ cookies: {} });
  });

  test('attributes apply to every cookie, in a fixed order; cookies keep theirs', async () => {
    const query = 'b=2&httponly&max_age=0060&a=1&secure=1&samesite=Lax&path=/x&domain=a.example';
    const attributes = 'Path=/x; Domain=a.example; Max-Age=60; SameSite=Lax; Secure; HttpOnly';
    expect(await set(query)).toEqual([`b=2; ${attributes}`, `a=1; ${attributes}`]);
  });

  test('a cookie and an attribute', async () => {
    expect(await set('name=value&max_age=60&samesite=Strict&secure&httponly')).toEqual([
      'name=value; Path=/; Max-Age=60; SameSite=Strict; Secure; HttpOnly',
    ]);
  });

  test.each([
    ['', []],
    ['secure', []],
    ['a=1', ['a=1; Path=/']],
    ['a', ['a=; Path=/']],
    ['a=1&a=2', ['a=1; Path=/', 'a=2; Path=/']],
    ['a=b=c&Secure=x', ['a=b=c; Path=/', 'Secure=x; Path=/']],
    ['a=x+y%2C%22%5C', ['a=x y,"\\; Path=/']],
    ['a=1&secure=false&httponly=0', ['a=1; Path=/']],
    ['a=1&secure=true&httponly=1', ['a=1; Path=/; Secure; HttpOnly']],
    ['a=1&max_age=0', ['a=1; Path=/; Max-Age=0']],
    ['constructor=1', ['constructor=1; Path=/']],
    ['a=%C3%A9%F0%9D%84%9E', ['a=\u00c3\u00a9\u00f0\u009d\u0084\u009e; Path=/']],
    ['a=1&path=/%E2%82%AC&domain=%C3%A9', ['a=1; Path=/\u00e2\u0082\u00ac; Domain=\u00c3\u00a9']],
    ['a=%FF', ['a=\u00ef\u00bf\u00bd; Path=/']],
    ['a=1&attr[Path]=/x&attr[Secure]=true', ['a=1; Path=/x; Secure']],
    ['ATTR%5BHTTPONLY%5D&a=1&attr[domain]=b.example', ['a=1; Path=/; Domain=b.example; HttpOnly']],
    ['a=1&attr[SameSite]=strict&max_age=1', ['a=1; Path=/; Max-Age=1; SameSite=Strict']],
    ['a=1&attr[Secure]=false', ['a=1; Path=/']],
  ])('/cookies/set?%s', async (query, cookies) => {
    expect(await set(query)).toEqual(cookies);
  });

  test.each(['grün', 'x y', '€𝄞', '"'])('%s is returned as it was set', async (value) => {
    const [line = ''] = await set(`a=${encodeURIComponent(value)}`);
    const cookie = line.slice(0, line.indexOf(';'));
    expect(parsed(await client().request('/cookies', { headers: { cookie } }))).toEqual({
      cookies: { a: value },
    });
  });

  test.each([
    ['a=1%0D%0AX:y', 'a=1\r\nX:y contains a semicolon or a control character'],
    ['a=1;Secure', 'a=1;Secure contains a semicolon or a control character'],
    ['a=1&path=/%0D%0A', 'path=/\r\n contains a semicolon or a control character'],
    ['a=1&domain=x;y', 'domain=x;y contains a semicolon or a control character'],
    ['a%20b=1', 'the cookie name "a b" is not a token'],
    ['=1', 'the cookie name "" is not a token'],
    ['a=1&samesite=none', 'samesite=none is not one of Strict, Lax, None'],
    ['a=1&samesite=', 'samesite= is not one of Strict, Lax, None'],
    ['a=1&samesite=Lax%0D%0A', 'samesite=Lax\r\n is not one of Strict, Lax, None'],
    ['a=1&max_age=-1', 'max_age=-1 is not a whole decimal number'],
    ['a=1&max_age=2147483648', 'max_age=2147483648 exceeds the maximum of 2147483647'],
    ['a=1&secure=yes', 'secure=yes is not one of true, 1, false, 0 or empty'],
    ['a=1&path=/&path=/x', 'path is given more than once'],
    ['a=1&path=/&attr[Path]=/x', 'path is given more than once'],
    ['a=1&attr[path]=/&attr[Path]=/x', 'path is given more than once'],
    ['a=1&attr[Max-Age]=1', 'attr[Max-Age] is not a cookie attribute'],
    ['a=1&attr[]=1', 'attr[] is not a cookie attribute'],
    ['a=1&attr[SameSite]=bogus', 'samesite=Bogus is not one of Strict, Lax, None'],
    ['a=1&attr[Secure]=bananas', 'secure=bananas is not one of true, 1, false, 0 or empty'],
    ['a=1&attr[Path]=%0D%0A', 'path=\r\n contains a semicolon or a control character'],
    ['x&'.repeat(1000), 'the Set-Cookie fields exceed the maximum of 32768 bytes'],
    [
      `${'x&'.repeat(20)}path=/${'y'.repeat(2000)}`,
      'the Set-Cookie fields exceed the maximum of 32768 bytes',
    ],
  ])('/cookies/set?%.40s: 400', async (query, detail) => {
    const { headers } = await expectRefused(client(), `/cookies/set?${query}`, detail);
    expect(headers['set-cookie']).toBeUndefined();
  });

  test.each([
    ['GET', '/cookies/delete'],
    ['DELETE', '/cookies'],
  ])('%s %s expires each cookie in the query', async (method, path) => {
    const { status, headers } = await client().request(`${path}?b=1&path&a`, { method });
    expect(status).toBe(302);
    expect(headers.location).toBe('/cookies');
    expect(headers['set-cookie']).toEqual([
      'b=; Path=/; Max-Age=0',
      'path=; Path=/; Max-Age=0',
      'a=; Path=/; Max-Age=0',
    ]);
    for (const query of ['', '?', '?a%3B', '?a%0D%0AX:y', '?=1']) {
      expect((await client().request(`${path}${query}`, { method })).status).toBe(400);
    }
  });

  test('a cookie is deleted with the attributes that it was set with', async () => {
    const { headers } = await client().request(
      '/cookies/delete?a&attr[Path]=/x&attr[Domain]=b.example',
    );
    expect(headers['set-cookie']).toEqual(['a=; Path=/x; Domain=b.example; Max-Age=0']);
    expect((await client().request('/cookies/delete?attr[Path]=/x')).status).toBe(400);
  });

  test.each([
    ['/cookies/set/a/1', 'a=1; Path=/'],
    ['/cookies/set/a/', 'a=; Path=/'],
    ['/cookies/set/secure/%C3%A9%20%22?path=/x', 'secure=\u00c3\u00a9 "; Path=/'],
  ])('%s sets one cookie', async (target, cookie) => {
    const { status, headers } = await client().request(target);
    expect([status, headers.location]).toEqual([302, '/cookies']);
    expect(headers['set-cookie']).toEqual([cookie]);
  });

  test.each([
    ['/cookies/set/a/1%3B', 'value=1; contains a semicolon or a control character'],
    ['/cookies/set/a/%0D%0AX:y', 'value=\r\nX:y contains a semicolon or a control character'],
    ['/cookies/set/a%20b/1', 'name=a b is not a token'],
    ['/cookies/set//1', 'name= is not a token'],
  ])('%s is rejected', async (target, detail) => {
    await expectRefused(client(), target, detail);
  });
}, '--max-target-size=32768');

overBothProtocols(({ client, transport, running }) => {
  test('a header section of the maximum size reaches the client', async () => {
    const target = `/cookies/set?a=${'x'.repeat(30_000)}`;
    const cookies = await client()
      .request(target)
      .then(
        ({ headers }) => headers['set-cookie'],
        (error: unknown) => error,
      );
    // Node's HTTP/1.1 client accepts 16 KiB of fields by default.
    if (isHttp2(transport)) {
      expect(cookies).toEqual([`a=${'x'.repeat(30_000)}; Path=/`]);
    } else expect(cookies).toMatchObject({ code: 'HPE_HEADER_OVERFLOW' });
  });

  if (!isHttp2(transport)) return;

  test('RFC 9113 8.2.3: several Cookie field lines are joined', async () => {
    const session = connectHttp2(`https://127.0.0.1:${running().port}`, {
      rejectUnauthorized: false,
    });
    const stream = session.request({ ':path': '/cookies', cookie: ['a=1', 'b=2', 'a=3; c=4'] });
    const body = await json(stream);
    session.close();
    await once(session, 'close');
    expect(body).toEqual({ cookies: { a: '1', b: '2', c: '4' } });
  });
}, '--max-target-size=32768');
