import { describe, expect, test } from 'vitest';
import { parsed } from '../_echo.ts';
import { overOneProtocol } from '../_everywhere.ts';
import { challengeOf, credentials, digest } from './_digest.ts';

overOneProtocol(({ client }) => {
  const { challengeFor, attempt } = digest(client);

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
      expect(parsed(other)['detail']).toBe('the response does not match the password');
    });
  });

  test('qop and algorithm are case-insensitive', async () => {
    const target = '/digest-auth/AUTH/user/passwd/sha-256';
    const challenge = await challengeFor(target);
    expect(challenge).toMatchObject({ qop: 'auth', algorithm: 'SHA-256' });
    expect((await attempt(target, challenge)).status).toBe(200);
  });

  test('RFC 7616 3.4.3: auth-int covers the content', async () => {
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

  test('RFC 7616 4: user names and passwords are UTF-8', async () => {
    const target = '/digest-auth/auth/J%C3%A4s%C3%B8n%20%22Doe%22/%E2%82%AC%3A/SHA-256';
    const challenge = await challengeFor(target);
    const given = { user: 'J\u00e4s\u00f8n "Doe"', passwd: '\u20ac:' };
    const received = await attempt(target, challenge, given);
    expect(parsed(received)).toMatchObject({ user: given.user });
    const extended = credentials(target, challenge, { ...given, nc: 2, left: 'username' });
    const authorization = `${extended}, username*=UTF-8''J%C3%A4s%C3%B8n%20%22Doe%22`;
    expect((await client().request(target, { headers: { authorization } })).status).toBe(200);
  });

  test('RFC 7616 3.4.4: user names may be hashed, and userhash asks for it', async () => {
    const target = '/digest-auth/auth/user/passwd/SHA-256?userhash';
    const challenge = await challengeFor(target);
    expect(challenge['userhash']).toBe('true');
    expect((await attempt(target, challenge)).status).toBe(200);
    const plain = await attempt(target, challenge, { nc: 2, changed: { username: 'user' } });
    expect(parsed(plain)['detail']).toBe('the user is not the one in the path');
  });

  test('require-cookie requires the cookie of the challenge', async () => {
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
});
