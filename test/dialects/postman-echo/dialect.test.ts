import { createHash, createHmac } from 'node:crypto';
import { gunzipSync, inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Client } from '../../_client.ts';
import { parsed } from '../../_echo.ts';
import { everywhere } from '../../_everywhere.ts';
import { inDialect } from '../_in.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const client = inDialect('postman-echo');

const get = async (path: string, headers: Record<string, string> = {}, from: Client = client()) =>
  from.request(path, { headers });

const part = (name: string, content: string) =>
  `--b\r\nContent-Disposition: form-data; ${name}\r\n\r\n${content}\r\n`;

const basic = (pair: string) => ({
  authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
});

const md5 = (text: string) => createHash('md5').update(text).digest('hex');

// Signed by hand (RFC 5849 3.4.1): the query and the parameters in Authorization, sorted.
const oauth = (secret: string, consumer = 'RKCGzna7bv9YD57c') => {
  const sorted =
    `b=%2B%20%21&oauth_consumer_key=${consumer}&oauth_nonce=n%2F1` +
    '&oauth_signature_method=HMAC-SHA1&oauth_timestamp=1';
  const base = `GET&${encodeURIComponent('http://a.example/oauth1')}&${encodeURIComponent(sorted)}`;
  const key = `${encodeURIComponent(secret)}&`;
  const signature = createHmac('sha1', key).update(base).digest('base64');
  const authorization =
    `OAuth realm="r",oauth_consumer_key="${consumer}",oauth_nonce="n%2F1",oauth_timestamp="1",` +
    `oauth_signature_method="HMAC-SHA1",oauth_signature="${encodeURIComponent(signature)}"`;
  return { base, headers: { authorization, host: 'A.example:80' } };
};

const digest = (passwd: string, uri: string) => {
  const key = md5(`postman:Users:${passwd}`);
  const response = md5(`${key}:any:00000001:c:auth:${md5(`GET:${uri}`)}`);
  const realm = 'username="postman", realm="Users", nonce="any", nc=00000001, cnonce="c"';
  return { authorization: `Digest ${realm}, qop=auth, uri="${uri}", response="${response}"` };
};

const post = async (type: string, body: string) =>
  parsed(
    await client().request('/post?a=1', {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    }),
  );

everywhere(
  ({ client: place }) => {
    test('echoes have lower-case names of headers, with host', async () => {
      const received = await get('/get?a=1&a=2', { 'X-Sample': 'x' }, place());
      expect(received.headers['content-type']).toBe(JSON_TYPE);
      const view = parsed(received);
      expect(Object.keys(view)).toEqual(['args', 'headers', 'url']);
      expect(view).toMatchObject({
        args: { a: ['1', '2'] },
        headers: { 'x-sample': 'x', host: expect.stringContaining('127.0.0.1:') },
        url: expect.stringMatching(/^https?:\/\/127\.0\.0\.1:\d+\/get\?a=1&a=2$/),
      });
      expect(parsed(await get('/headers', { 'X-Sample': 'x' }, place()))).toMatchObject({
        headers: { 'x-sample': 'x' },
      });
    });
  },
  '--dialect',
  'postman-echo',
);

describe('content', () => {
  test('of text, JSON, and JSON that is malformed', async () => {
    const text = await post('text/plain', '{"a":1}');
    expect(Object.keys(text)).toEqual(['args', 'data', 'files', 'form', 'headers', 'json', 'url']);
    expect(text).toMatchObject({ args: { a: '1' }, data: '{"a":1}', json: null, form: {} });
    const json = await post('application/json', '{"a":1}');
    expect(json).toMatchObject({ data: { a: 1 }, json: { a: 1 } });
    expect(await post('application/json', '{')).toMatchObject({ data: '{', json: null });
  });

  test('of forms, with files by file name', async () => {
    const form = await post('application/x-www-form-urlencoded', 'foo1=bar1&foo2=b%20c');
    expect(form).toMatchObject({ data: '', form: { foo1: 'bar1', foo2: 'b c' }, files: {} });
    const body = `${part('name="a"', '1')}${part('name="f"; filename="x.txt"', 'hi')}--b--\r\n`;
    expect(await post('multipart/form-data; boundary=b', body)).toMatchObject({
      form: { a: '1' },
      files: { 'x.txt': 'data:application/octet-stream;base64,aGk=' },
    });
  });
});

test.each([
  ['/ip', { ip: '127.0.0.1' }],
  ['/delay/0.01', { delay: '0.01' }],
  ['/status/418', { status: 418 }],
  ['/response-headers?foo1=bar1', { foo1: 'bar1' }],
])('%s', async (path, view) => {
  const received = await get(path);
  expect(parsed(received)).toEqual(view);
  expect(received.status).toBe(path.startsWith('/status') ? 418 : 200);
});

test('a delay of more than 10 seconds and a status below 200 are 400', async () => {
  expect((await get('/delay/11')).status).toBe(400);
  expect((await get('/status/199')).status).toBe(400);
  expect((await get('/status/204')).body.length).toBe(0);
});

test.each([
  ['/gzip', 'gzip', 'gzipped', gunzipSync],
  ['/deflate', 'deflate', 'deflated', inflateSync],
] as const)('%s', async (path, coding, member, decode) => {
  const { headers, body } = await get(path, { 'accept-encoding': coding });
  expect(headers).toMatchObject({ 'content-encoding': coding, 'content-type': JSON_TYPE });
  const view: unknown = JSON.parse(decode(body).toString());
  expect(view).toMatchObject({
    [member]: true,
    headers: { 'accept-encoding': coding },
    method: 'GET',
  });
});

test('/stream/{n} and /encoding/utf8 are chunked', async () => {
  const stream = await get('/stream/5');
  expect(stream.headers['transfer-encoding']).toBe('chunked');
  expect(stream.body.toString().match(/"n": "5"/g)).toHaveLength(5);
  const document = await get('/encoding/utf8');
  expect(document.headers).toMatchObject({
    'transfer-encoding': 'chunked',
    'content-type': 'text/html; charset=utf-8',
  });
  expect(document.body.toString()).toContain('☕');
});

test('cookies are set, shown and deleted', async () => {
  const set = await get('/cookies/set?foo1=b%20c&path=x');
  expect([set.status, set.headers.location]).toEqual([302, '/cookies']);
  expect(set.body.toString()).toBe('Found. Redirecting to /cookies');
  expect(set.headers['set-cookie']).toEqual([
    'foo1=b%20c; Path=/',
    'path=x; Path=/',
    expect.stringMatching(/^sails\.sid=[\da-f-]{36}; Path=\/; HttpOnly$/),
  ]);
  const shown = await get('/cookies', { cookie: 'foo1=b%20c; x=%' });
  expect(parsed(shown)).toEqual({ cookies: { foo1: 'b c', x: '%' } });
  const deleted = await get('/cookies/delete?foo1');
  expect(deleted.headers['set-cookie']?.[0]).toBe(
    'foo1=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
  );
  expect((await get('/cookies/set?a%20b=1')).status).toBe(400);
});

test('/basic-auth', async () => {
  expect(parsed(await get('/basic-auth', basic('postman:password')))).toEqual({
    authenticated: true,
  });
  for (const headers of [{}, basic('postman:x')]) {
    const wrong = await get('/basic-auth', headers);
    expect([wrong.status, wrong.body.toString()]).toEqual([401, 'Unauthorized']);
    expect(wrong.headers['www-authenticate']).toBe('Basic realm="Users"');
  }
});

test('/digest-auth, with any nonce', async () => {
  const challenged = await get('/digest-auth');
  expect([challenged.status, challenged.body.toString()]).toEqual([401, 'Unauthorized']);
  expect(challenged.headers['www-authenticate']).toMatch(/^Digest realm="Users", .*nonce="\S+"/);
  expect(parsed(await get('/digest-auth', digest('password', '/digest-auth')))).toEqual({
    authenticated: true,
  });
  expect((await get('/digest-auth', digest('x', '/digest-auth'))).status).toBe(401);
  expect((await get('/digest-auth', digest('password', '/x'))).status).toBe(400);
});

describe('/auth/hawk', () => {
  const KEY = 'werxhqb98rpaxn39848xrunpaw3489ruxnpa98w4rxn';
  const hawk = (changes: Partial<Record<'key' | 'id' | 'resource', string>> = {}, age = 0) => {
    const { key = KEY, id = 'dh37fgj492je', resource = '/auth/hawk?a=1' } = changes;
    const ts = Math.floor(Date.now() / 1000) - age;
    const text = `hawk.1.header\n${ts}\nn1\nGET\n${resource}\na.example\n8000\n\nex\\\\t\n`;
    const mac = createHmac('sha256', key).update(text).digest('base64');
    const authorization = `Hawk id="${id}", ts="${ts}", nonce="n1", ext="ex\\\\t", mac="${mac}"`;
    return { authorization, host: 'A.example:8000' };
  };

  test('the published key signs', async () => {
    expect(parsed(await get('/auth/hawk?a=1', hawk()))).toEqual({
      status: 'pass',
      message: 'Hawk Authentication successful',
    });
  });

  test.each([
    ['none', {}, 'the request has no Hawk credentials'],
    ['another key', hawk({ key: 'x' }), 'the mac does not match the key'],
    ['another id', hawk({ id: 'x' }), 'the id must be dh37fgj492je'],
    ['another path', hawk({ resource: '/x' }), 'the mac does not match the key'],
    ['an old one', hawk({}, 100), 'the ts is not within 60 seconds of the clock'],
  ])('%s is 401', async (_, headers, message) => {
    const received = await get('/auth/hawk?a=1', headers);
    expect([received.status, received.headers['www-authenticate']]).toEqual([401, 'Hawk']);
    expect(parsed(received)).toEqual({ status: 'fail', message });
  });
});

describe('/oauth1', () => {
  test('the published consumer signs', async () => {
    const { headers } = oauth('D+EdQ-gs$-%@2Nu7');
    expect(parsed(await get('/oauth1?b=%2B+!', headers))).toEqual({
      status: 'pass',
      message: 'OAuth-1.0a signature verification was successful',
    });
  });

  test('another signature is 401, with the strings that were signed', async () => {
    for (const { base, headers } of [oauth('x'), oauth('D+EdQ-gs$-%@2Nu7', 'x')]) {
      const received = await get('/oauth1?b=%2B+!', headers);
      expect([received.status, received.headers['www-authenticate']]).toEqual([401, 'OAuth']);
      expect(parsed(received)).toMatchObject({
        status: 'fail',
        base_uri: 'http://a.example/oauth1',
        base_string: base,
        signing_key: 'D%2BEdQ-gs%24-%25%402Nu7&',
      });
    }
    expect((await get('/oauth1')).status).toBe(401);
  });
});

test('/time is not there', async () => {
  expect((await get('/time/now')).status).toBe(404);
});
