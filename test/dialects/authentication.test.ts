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
    const right = await client().request(path, { method: 'PUT', headers: basic('u:p') });
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
    for (const authorization of ['Bearer', 'Bearer x y', 'Basic eA==']) {
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
});

describe('go-httpbin', () => {
  const client = inDialect('go-httpbin');

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
