import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { parsed } from '../_echo.ts';
import { inDialect } from './_in.ts';

function basic(credentials: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

/** Digest credentials (RFC 7616) of user `u` with password `p` for a challenge. */
function digest(challenge: string, uri: string, changes: Record<string, string> = {}): string {
  const [, nonce = ''] = /nonce="([^"]*)"/.exec(challenge) ?? [];
  const [, realm = ''] = /realm="([^"]*)"/.exec(challenge) ?? [];
  const signed = { username: 'u', realm, nonce, uri, nc: '00000001', cnonce: 'c', qop: 'auth' };
  const key = md5(`u:${realm}:p`);
  const response = md5(`${key}:${nonce}:00000001:c:auth:${md5(`GET:${uri}`)}`);
  const values = Object.entries({ ...signed, response, ...changes });
  return `Digest ${values.map(([name, value]) => `${name}="${value}"`).join(', ')}`;
}

describe.each([
  ['httpbin', { authenticated: true, user: 'u' }],
  ['go-httpbin', { authenticated: true, user: 'u', authorized: true }],
] as const)('%s', (name, granted) => {
  const client = inDialect(name);

  test('Basic', async () => {
    const path = '/basic-auth/u/p';
    const right = await client().request(path, { headers: basic('u:p') });
    expect(right.status).toBe(200);
    expect(parsed(right)).toEqual(granted);
    for (const headers of [{}, basic('u:x'), basic('x')]) {
      const wrong = await client().request(path, { headers });
      expect(wrong.status).toBe(401);
      expect(wrong.headers['www-authenticate']).toBe('Basic realm="Fake Realm"');
    }
  });

  test('hidden Basic', async () => {
    const path = '/hidden-basic-auth/u/p';
    expect(parsed(await client().request(path, { headers: basic('u:p') }))).toEqual(granted);
    const wrong = await client().request(path);
    expect(wrong.status).toBe(404);
    expect(wrong.headers).not.toHaveProperty('www-authenticate');
  });

  test('Bearer', async () => {
    const headers = { authorization: 'Bearer t' };
    const right = await client().request('/bearer', { headers });
    expect(parsed(right)).toEqual({ authenticated: true, token: 't' });
    // RFC 6750 knows neither a colon nor a comma in tokens, but the originals take any.
    for (const [authorization, token] of [
      ['Bearer user:style', 'user:style'],
      ['bearer t,x=', 't,x='],
    ] as const) {
      const lenient = await client().request('/bearer', { headers: { authorization } });
      expect(parsed(lenient)).toEqual({ authenticated: true, token });
    }
    for (const authorization of ['Bearer', 'Basic eA==', 'Bearerx']) {
      const wrong = await client().request('/bearer', { headers: { authorization } });
      expect(wrong.status).toBe(401);
      expect(wrong.headers['www-authenticate']).toBe('Bearer');
    }
  });

  test('Digest', async () => {
    const path = '/digest-auth/auth/u/p';
    const { status, headers } = await client().request(path);
    expect(status).toBe(401);
    const challenge = headers['www-authenticate'] ?? '';
    const right = await client().request(path, {
      headers: { authorization: digest(challenge, path) },
    });
    expect(right.status).toBe(200);
    expect(parsed(right)).toEqual(granted);
    for (const changes of [{ response: 'x' }, { username: 'x' }, { realm: 'x' }, { qop: 'x' }]) {
      const authorization = digest(challenge, path, changes);
      expect((await client().request(path, { headers: { authorization } })).status).toBe(401);
    }
  });
});

describe('httpbin', () => {
  const client = inDialect('httpbin');

  test('an unknown qop means any, an unknown algorithm MD5', async () => {
    const { status, headers } = await client().request('/digest-auth/wrong-qop/u/p/SHA-1/1');
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toContain('qop="auth,auth-int", algorithm=MD5,');
  });

  test('a Bearer token may have spaces', async () => {
    const headers = { authorization: 'Bearer x y' };
    const received = await client().request('/bearer', { headers });
    expect(parsed(received)).toEqual({ authenticated: true, token: 'x y' });
  });

  test.each([
    ['/digest-auth/auth/u/p', 'never'],
    ['/digest-auth/auth/u/p/MD5', 'never'],
    ['/digest-auth/auth/u/p/MD5/3', '3'],
    ['/digest-auth/auth/u/p/MD5/soon', 'soon'],
    ['/digest-auth/auth/u/p?require-cookie=1', 'never'],
  ])('the challenge of %s sets two cookies', async (path, staleAfter) => {
    const { status, headers, body } = await client().request(path);
    expect(status).toBe(401);
    expect(headers['set-cookie']).toEqual([
      `stale_after=${staleAfter}; Path=/`,
      'fake=fake_value; Path=/',
    ]);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(body.toString()).toBe('');
  });

  test('a response to Digest credentials sets the cookies again, one less', async () => {
    const path = '/digest-auth/auth/u/p';
    const { headers } = await client().request(path);
    const challenge = headers['www-authenticate'] ?? '';
    for (const [sent, set] of [
      ['', []],
      ['stale_after=3', ['stale_after=2; Path=/']],
      ['stale_after=never', ['stale_after=never; Path=/']],
    ] as const) {
      const fresh = await client().request(path);
      const authorization = digest(fresh.headers['www-authenticate'] ?? challenge, path);
      const cookie = sent === '' ? {} : { cookie: sent };
      const granted = await client().request(path, { headers: { authorization, ...cookie } });
      expect(granted.status).toBe(200);
      expect(granted.headers['set-cookie']).toEqual(['fake=fake_value; Path=/', ...set]);
    }
  });

  test('another cookie than the required one is 403', async () => {
    const path = '/digest-auth/auth/u/p?require-cookie=1';
    const { headers } = await client().request(path);
    const authorization = digest(headers['www-authenticate'] ?? '', path);
    const refused = await client().request(path, { headers: { authorization, cookie: 'a=1' } });
    expect(refused.status).toBe(403);
    expect(parsed(refused)).toEqual({ errors: ['missing cookie set on challenge'] });
    expect(refused.headers['set-cookie']).toEqual(['fake=fake_value; Path=/']);
  });

  test.each([
    '/basic-auth/u/p',
    '/hidden-basic-auth/u/p',
    '/bearer',
    '/digest-auth/auth/u/p/MD5/3',
    '/redirect/1',
    '/relative-redirect/1',
    '/absolute-redirect/1',
    '/etag/x',
    '/cookies',
  ])('%s allows GET alone', async (path) => {
    const { status, headers } = await client().request(path, { method: 'POST' });
    expect(status).toBe(405);
    expect(headers.allow).toBe('GET, HEAD, OPTIONS');
  });

  test.each(['/basic-auth/u/', '/hidden-basic-auth//p', '/digest-auth//u/p', '/status/'])(
    '%s is 404',
    async (path) => {
      expect((await client().request(path)).status).toBe(404);
    },
  );
});

describe('go-httpbin', () => {
  const client = inDialect('go-httpbin');

  test('a Bearer token is one word, of any method', async () => {
    const headers = { authorization: 'Bearer x y' };
    const { status } = await client().request('/bearer', { method: 'PUT', headers });
    expect(status).toBe(401);
  });

  test('a 401 names the user of the credentials, and no other', async () => {
    for (const [credentials, user] of [
      ['', ''],
      ['bad:auth', 'bad'],
      ['bad', ''],
    ] as const) {
      const headers = credentials === '' ? {} : basic(credentials);
      const view = parsed(await client().request('/basic-auth/u/p', { headers }));
      expect(view).toEqual({ authenticated: false, authorized: false, user });
    }
  });

  test('a captured digest can be replayed', async () => {
    const authorization = digest('realm="go-httpbin", nonce="x"', '/digest-auth/auth/u/p/MD5');
    for (const path of ['/digest-auth/auth/u/p/MD5', '/digest-auth/AUTH/u/p']) {
      expect((await client().request(path, { headers: { authorization } })).status).toBe(200);
    }
  });

  test.each([
    ['/digest-auth/auth-int/u/p', 400],
    ['/digest-auth/auth/u/p/SHA-512', 400],
    ['/digest-auth/auth/u/p/SHA-256', 401],
    ['/digest-auth/auth/u/p/MD5/1', 404],
  ])('%s is %i', async (path, status) => {
    expect((await client().request(path)).status).toBe(status);
  });
});
