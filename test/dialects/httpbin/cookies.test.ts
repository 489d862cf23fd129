import { describe, expect, test } from 'vitest';
import { parsed } from '../../_echo.ts';
import { inDialect } from '../_in.ts';

const client = inDialect('httpbin');

// Each as Werkzeug 3 reads or writes it.
test.each([
  ['b=2; a=1', { a: '1', b: '2' }],
  ['a="q"', { a: 'q' }],
  ['a="q r"; b=2', { a: 'q r', b: '2' }],
  [String.raw`a="x\"y"; b="c\\d"`, { a: 'x"y', b: String.raw`c\d` }],
  [String.raw`a="\303\274\054"`, { a: 'ü,' }],
  ['a="b; c=d"', { a: 'b; c=d' }],
  ['a=""', { a: '' }],
  ['a', { a: '' }],
  ['a=1; a=2', { a: '1' }],
  ['a = 1 ;b=2', { a: '1', b: '2' }],
  ['a=b=c', { a: 'b=c' }],
  ['a="; b=2', { b: '2' }],
  ['a=x"y"; =z; b=2', { b: '2' }],
  ['__proto__=1', JSON.parse('{"__proto__":"1"}') as unknown],
])('Cookie: %s', async (cookie, cookies) => {
  expect(parsed(await client().request('/cookies', { headers: { cookie } }))).toEqual({ cookies });
});

test('the JSON has sorted names, in ASCII', async () => {
  const headers = { cookie: String.raw`b="\303\274"; a=1` };
  const { body } = await client().request('/cookies', { headers });
  expect(body.toString()).toBe('{\n  "cookies": {\n    "a": "1",\n    "b": "\\u00fc"\n  }\n}\n');
});

describe.each([
  ['a=1', ['a=1']],
  ['a=', ['a=']],
  ['a=1&b=2&a=3', ['a=1', 'b=2']],
  ['a=b%20c', ['a="b c"']],
  ['a=%C3%BC', [String.raw`a="\303\274"`]],
  ['a=%22q%22', [String.raw`a="\"q\""`]],
  ['a=b%5Cc', [String.raw`a="b\\c"`]],
  ['a=1;2', [String.raw`a="1\0732"`]],
  ['a=1%2C2', [String.raw`a="1\0542"`]],
  ['a=%0A%1F', [String.raw`a="\012\037"`]],
])('%s', (query, set) => {
  test('/cookies/set', async () => {
    const { status, headers } = await client().request(`/cookies/set?${query}`);
    expect(status).toBe(302);
    expect(headers['set-cookie']).toEqual(set.map((cookie) => `${cookie}; Path=/`));
  });

  test('/cookies/set/{name}/{value}', async () => {
    const [pair = ''] = query.split('&');
    const path = pair.replace('=', '/');
    const { status, headers } = await client().request(`/cookies/set/${path}`);
    // The router knows no path with an empty segment.
    if (path.endsWith('/')) expect(status).toBe(404);
    else expect(headers['set-cookie']).toEqual([`${set[0]}; Path=/`]);
  });

  test('/cookies shows what was set', async () => {
    const { headers } = await client().request(`/cookies/set?${query}`);
    const sent = [headers['set-cookie'] ?? []].flat().map((cookie) => cookie.split('; Path')[0]);
    const { body } = await client().request('/cookies', { headers: { cookie: sent.join('; ') } });
    const wanted: Record<string, string> = {};
    for (const [name, value] of new URLSearchParams(query)) wanted[name] ??= value;
    expect(JSON.parse(body.toString())).toEqual({ cookies: wanted });
  });
});

test('/cookies/delete', async () => {
  const { status, headers } = await client().request('/cookies/delete?a=1&b&a');
  expect(status).toBe(302);
  const expiry = 'Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; Path=/';
  expect(headers['set-cookie']).toEqual([`a=; ${expiry}`, `b=; ${expiry}`]);
  const none = await client().request('/cookies/delete');
  expect([none.status, none.headers['set-cookie']]).toEqual([302, undefined]);
});

test('a cookie is Secure over TLS', async () => {
  const headers = { 'x-forwarded-proto': 'https' };
  for (const path of ['/cookies/set?a=1', '/cookies/set/a/1']) {
    const received = await client().request(path, { headers });
    expect(received.headers['set-cookie']).toEqual(['a=1; Path=/; Secure']);
  }
});
