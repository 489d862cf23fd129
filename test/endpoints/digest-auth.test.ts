import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Client, Received } from '../_client.ts';
import { openClient } from '../_client.ts';
import { parsed } from '../_echo.ts';
import { everywhere } from '../_everywhere.ts';
import { expectRefused } from '../_refusal.ts';

type Parameters = Record<string, string>;

const HASHES: Record<string, string> = {
  MD5: 'md5',
  'SHA-256': 'sha256',
  'SHA-512-256': 'sha512-256',
  'SHA-512': 'sha512',
};

/** What the challenge of an answer has. */
function challengeOf({ status, headers }: Received): Parameters {
  expect(status).toBe(401);
  const field = headers['www-authenticate'] ?? '';
  expect(field).toMatch(/^Digest /);
  const found = [...field.slice(7).matchAll(/(\w+)=(?:"([^"]*)"|([\w-]+))(?:, |$)/g)];
  return Object.fromEntries(
    found.map(([, name = '', quoted, token = '']) => [name, quoted ?? token]),
  );
}

interface Given {
  readonly user?: string;
  readonly passwd?: string;
  readonly method?: string;
  readonly content?: string;
  readonly nc?: number;
  /** What is sent other than it was signed. */
  readonly changed?: Parameters;
  readonly left?: string;
}

/** The credentials of a client by RFC 7616 3.4, written down once more. */
function credentials(target: string, challenge: Parameters, given: Given = {}): string {
  const { realm = '', nonce = '', qop: offered = '', algorithm = '' } = challenge;
  const { user = 'user', passwd = 'passwd', method = 'GET', content = '' } = given;
  const hash = (...texts: string[]) =>
    createHash(HASHES[algorithm.replace(/-sess$/, '')] ?? '')
      .update(texts.join(':'))
      .digest('hex');
  const [qop = ''] = offered.split(',');
  const nc = (given.nc ?? 1).toString(16).padStart(8, '0');
  const cnonce = 'f2/wE4q74E6zIJEtWaHKaf5wv';
  const account = hash(user, realm, passwd);
  const key = algorithm.endsWith('-sess') ? hash(account, nonce, cnonce) : account;
  const message = qop === 'auth-int' ? [method, target, hash(content)] : [method, target];
  const response = hash(key, nonce, nc, cnonce, qop, hash(...message));
  const name = challenge['userhash'] === 'true' ? hash(user, realm) : user;
  const quoted = { username: name, realm, nonce, uri: target, cnonce, response };
  const tokens = { qop, nc, algorithm, ...(challenge['userhash'] && { userhash: 'true' }) };
  const sent = { ...quoted, ...tokens, ...given.changed };
  const list = Object.entries(sent)
    .filter(([parameter]) => parameter !== given.left)
    .map(([parameter, value]) => {
      const written = parameter in quoted ? `"${value.replace(/["\\]/g, '\\$&')}"` : value;
      return `${parameter}=${written}`;
    });
  return Buffer.from(`Digest ${list.join(', ')}`).toString('latin1');
}

function expectStale(received: Received, reason: RegExp): void {
  expect(challengeOf(received)['stale']).toBe('true');
  expect(parsed(received)['detail']).toMatch(reason);
}

everywhere(({ client, transport, running }) => {
  const challengeFor = async (target: string, on: Client = client()) =>
    challengeOf(await on.request(target));
  const attempt = async (target: string, challenge: Parameters, given: Given = {}, on = client()) =>
    on.request(target, {
      method: given.method ?? 'GET',
      headers: { authorization: credentials(target, challenge, given) },
      ...(given.content !== undefined && { body: given.content }),
    });

  test('RFC 7616 3.3: the challenge', async () => {
    const { nonce, ...others } = await challengeFor('/digest-auth/auth/user/passwd');
    const fixed = { realm: 'wirebin', qop: 'auth', algorithm: 'MD5', opaque: 'wirebin' };
    expect(others).toEqual({ ...fixed, charset: 'UTF-8' });
    expect(nonce).toMatch(/^[\w-]{42}$/);
    expect((await challengeFor('/digest-auth/auth/user/passwd'))['nonce']).not.toBe(nonce);
  });

  describe.each(['auth', 'auth-int', 'auth,auth-int'])('qop %s', (qop) => {
    test.each([
      'MD5',
      'MD5-sess',
      'SHA-256',
      'SHA-256-sess',
      'SHA-512-256',
      'SHA-512-256-sess',
      'SHA-512',
      'SHA-512-sess',
    ])('%s', async (algorithm) => {
      const target = `/digest-auth/${qop}/user/passwd/${algorithm}?a=1&b=%20`;
      const challenge = await challengeFor(target);
      expect(challenge).toMatchObject({ qop, algorithm });
      const received = await attempt(target, challenge);
      expect(received.status).toBe(200);
      expect(parsed(received)).toEqual({ authenticated: true, authorized: true, user: 'user' });
      const other = await attempt(target, challenge, { nc: 2, passwd: 'Passwd' });
      expect(challengeOf(other)['stale']).toBeUndefined();
      expect(parsed(other)['detail']).toBe('the response is not what the password makes');
    });
  });

  test('qop and algorithm may be written in any case', async () => {
    const target = '/digest-auth/AUTH/user/passwd/sha-256';
    const challenge = await challengeFor(target);
    expect(challenge).toMatchObject({ qop: 'auth', algorithm: 'SHA-256' });
    expect((await attempt(target, challenge)).status).toBe(200);
  });

  test('RFC 7616 3.4.3: auth-int proves the content', async () => {
    const target = '/digest-auth/auth-int/user/passwd';
    const challenge = await challengeFor(target);
    const given = { method: 'POST', content: 'a=1' };
    const right = credentials(target, challenge, given);
    const send = async (body: string, authorization: string) => {
      const headers = { authorization };
      return (await client().request(target, { method: 'POST', headers, body })).status;
    };
    expect(await send('a=2', right)).toBe(401);
    expect(await send('a=1', right)).toBe(200);
    expect(await send('', credentials(target, challenge, { ...given, content: '', nc: 2 }))).toBe(
      200,
    );
  });

  test('HEAD is signed as HEAD', async () => {
    const target = '/digest-auth/auth/user/passwd';
    const challenge = await challengeFor(target);
    expect((await attempt(target, challenge, { method: 'HEAD' })).status).toBe(200);
  });

  test('RFC 7616 4: names and passwords are UTF-8', async () => {
    const target = '/digest-auth/auth/J%C3%A4s%C3%B8n%20%22Doe%22/%E2%82%AC%3A/SHA-256';
    const challenge = await challengeFor(target);
    const given = { user: 'J\u00e4s\u00f8n "Doe"', passwd: '\u20ac:' };
    const received = await attempt(target, challenge, given);
    expect(parsed(received)).toMatchObject({ user: given.user });
    const extended = credentials(target, challenge, { ...given, nc: 2, left: 'username' });
    const authorization = `${extended}, username*=UTF-8''J%C3%A4s%C3%B8n%20%22Doe%22`;
    expect((await client().request(target, { headers: { authorization } })).status).toBe(200);
  });

  test('RFC 7616 3.4.4: names may be hashed, and the query can ask for it', async () => {
    const target = '/digest-auth/auth/user/passwd/SHA-256?userhash';
    const challenge = await challengeFor(target);
    expect(challenge['userhash']).toBe('true');
    expect((await attempt(target, challenge)).status).toBe(200);
    const plain = await attempt(target, challenge, { nc: 2, changed: { username: 'user' } });
    expect(parsed(plain)['detail']).toBe('the user is another');
  });

  describe('RFC 7616 3.4: what is wrong with credentials is told', () => {
    const target = '/digest-auth/auth/user/passwd/SHA-256';
    test.each([
      [{ realm: 'other' }, 'the realm is wirebin'],
      [{ algorithm: 'MD5' }, 'the algorithm is SHA-256'],
      [{ qop: 'auth-int' }, 'the qop is auth'],
      [{ username: 'other' }, 'the user is another'],
      [{ nc: '1' }, 'nc is not a count of eight hexadecimal digits, from 00000001'],
      [{ nc: '00000000' }, 'nc is not a count of eight hexadecimal digits, from 00000001'],
      [{ nc: '0000000g' }, 'nc is not a count of eight hexadecimal digits, from 00000001'],
      [{ nc: '00000002' }, 'the response is not what the password makes'],
      [{ cnonce: '' }, 'the credentials have no cnonce'],
      [{ uri: '/' }, 'the response is not what the password makes'],
      [{ nonce: 'x' }, 'the response is not what the password makes'],
      [{ response: '' }, 'the credentials have no response'],
    ])('%j', async (changed: Parameters, detail) => {
      const received = await attempt(target, await challengeFor(target), { changed });
      expect(challengeOf(received)['stale']).toBeUndefined();
      expect(parsed(received)['detail']).toBe(detail);
    });

    test.each(['nonce', 'uri', 'response', 'qop', 'nc', 'cnonce', 'realm', 'username'])(
      'without %s',
      async (left) => {
        const received = await attempt(target, await challengeFor(target), { left });
        expect(challengeOf(received)['stale']).toBeUndefined();
        expect(parsed(received)['detail']).toBe(`the credentials have no ${left}`);
      },
    );

    test.each(['', 'Digest', 'Basic dXNlcjpwYXNzd2Q=', 'Digest a', 'Digest "'])(
      'Authorization: %s',
      async (authorization) => {
        const received = await client().request(target, { headers: { authorization } });
        expect(challengeOf(received)['stale']).toBeUndefined();
        expect(parsed(received)['detail']).toBe('the request has no Digest credentials');
      },
    );
  });

  test('RFC 7616 3.4.6: credentials for another target are 400', async () => {
    const target = '/digest-auth/auth/user/passwd';
    for (const other of [`${target}?a`, `${target}/MD5`, 'x']) {
      const authorization = credentials(other, await challengeFor(target));
      const received = await client().request(target, { headers: { authorization } });
      expect(received.status).toBe(400);
      const detail = `uri=${other} in Authorization is not the request's target`;
      expect(parsed(received)).toMatchObject({ type: '/problems/invalid-parameter', detail });
    }
    const absolute = `http://127.0.0.1:${running().port}${target}`;
    const authorization = credentials(absolute, await challengeFor(target));
    expect((await client().request(target, { headers: { authorization } })).status).toBe(200);
  });

  test('a nonce that wirebin has not issued is stale', async () => {
    const target = '/digest-auth/auth/user/passwd';
    const challenge = { ...(await challengeFor(target)), nonce: 'A'.repeat(42) };
    expectStale(await attempt(target, challenge), /^the nonce is too old, or none of wirebin$/);
  });

  test('stale_after is how many requests a nonce is good for', async () => {
    const target = '/digest-auth/auth/user/passwd/MD5/2';
    const challenge = await challengeFor(target);
    expect((await attempt(target, challenge, { nc: 1 })).status).toBe(200);
    expect((await attempt(target, challenge, { nc: 2 })).status).toBe(200);
    const third = await attempt(target, challenge, { nc: 3 });
    expectStale(third, /^nc=00000003 exceeds the stale_after of 2$/);
    expect((await attempt(target, challengeOf(third))).status).toBe(200);
    const never = '/digest-auth/auth/user/passwd/MD5/never';
    const lasting = await challengeFor(never);
    expect((await attempt(never, lasting, { nc: 0xffffffff })).status).toBe(200);
    const always = '/digest-auth/auth/user/passwd/MD5/0';
    expectStale(await attempt(always, await challengeFor(always)), /exceeds the stale_after of 0$/);
  });

  test('a request that comes again on its connection is stale, out of order it is not', async () => {
    const target = '/digest-auth/auth/user/passwd/MD5';
    const own = openClient(transport, running().port);
    const challenge = await challengeFor(target, own);
    for (const nc of [1, 3, 2]) {
      expect((await attempt(target, challenge, { nc }, own)).status).toBe(200);
    }
    expectStale(await attempt(target, challenge, { nc: 2 }, own), /^nc=00000002 has come before$/);
    own.close();
    // What wrong credentials say is not believed, and not kept.
    await attempt(target, challenge, { nc: 4, passwd: 'other' });
    expect((await attempt(target, challenge, { nc: 4 })).status).toBe(200);
  });

  test('require-cookie wants the cookie of the challenge back', async () => {
    const target = '/digest-auth/auth/user/passwd/MD5?require-cookie=1';
    const first = await client().request(target);
    expect(first.headers['set-cookie']).toEqual(['fake=fake_value; Path=/']);
    const challenge = challengeOf(first);
    const send = async (nc: number, cookie?: string) => {
      const authorization = credentials(target, challenge, { nc });
      return client().request(target, { headers: { authorization, ...(cookie && { cookie }) } });
    };
    const without = await send(1);
    expect(challengeOf(without)['stale']).toBeUndefined();
    expect(without.headers['set-cookie']).toEqual(['fake=fake_value; Path=/']);
    const another = await send(1, 'a=1');
    expect(another.status).toBe(403);
    expect(parsed(another)).toMatchObject({ type: '/problems/cookie-missing' });
    expect((await send(1, 'a=1; fake=fake_value')).status).toBe(200);
  });

  test.each([
    ['/digest-auth/int/u/p', 'qop=int is none of auth, auth-int, auth,auth-int'],
    ['/digest-auth/auth/u/p/SHA', /^algorithm=SHA is none of MD5, MD5-sess, /],
    ['/digest-auth/auth/u/p/MD5/foo', 'stale_after=foo is not a whole decimal number'],
    ['/digest-auth/auth/u/p/MD5/4294967296', /^stale_after=4294967296 exceeds the maximum/],
    ['/digest-auth/auth/u/p/MD5?userhash=x', /^userhash=x is none of/],
  ])('%s is refused', async (target, detail) => {
    if (typeof detail === 'string') await expectRefused(client(), target, detail);
    const { status, body } = await client().request(target);
    expect(status).toBe(400);
    expect((JSON.parse(body.toString()) as Parameters)['detail']).toMatch(detail);
  });
});
