import { describe, expect, test } from 'vitest';
import { openClient, type Received } from '../_client.ts';
import { parsed } from '../_echo.ts';
import { overBothProtocols } from '../_everywhere.ts';
import { expectRefused } from '../_refusal.ts';
import { challengeOf, credentials, digest, type Parameters } from './_digest.ts';

function expectStale(received: Received, reason: RegExp): void {
  expect(challengeOf(received)['stale']).toBe('true');
  expect(parsed(received)['detail']).toMatch(reason);
}

overBothProtocols(({ client, transport, running }) => {
  const { challengeFor, attempt } = digest(client);

  describe('RFC 7616 3.4: the detail says what is wrong with the credentials', () => {
    const target = '/digest-auth/auth/user/passwd/SHA-256';
    test.each([
      [{ realm: 'other' }, 'the realm must be wirebin'],
      [{ algorithm: 'MD5' }, 'the algorithm must be SHA-256'],
      [{ qop: 'auth-int' }, 'the qop must be auth'],
      [{ username: 'other' }, 'the user is not the one in the path'],
      [{ nc: '1' }, 'nc must be eight hexadecimal digits, 00000001 or higher'],
      [{ nc: '00000000' }, 'nc must be eight hexadecimal digits, 00000001 or higher'],
      [{ nc: '0000000g' }, 'nc must be eight hexadecimal digits, 00000001 or higher'],
      [{ nc: '00000002' }, 'the response does not match the password'],
      [{ cnonce: '' }, 'the credentials have no cnonce'],
      [{ uri: '/' }, 'the response does not match the password'],
      [{ nonce: 'x' }, 'the response does not match the password'],
      [{ response: '' }, 'the credentials have no response'],
    ])('%j', async (changed: Parameters, detail) => {
      const received = await attempt(target, await challengeFor(target), { changed });
      expect(challengeOf(received)['stale']).toBeUndefined();
      expect(parsed(received)['detail']).toBe(detail);
    });

    const NO_CREDENTIALS = ['', 'Digest', 'Basic dXNlcjpwYXNzd2Q=', 'Digest a', 'Digest "'];
    test.each(NO_CREDENTIALS)('Authorization: %s', async (authorization) => {
      const received = await client().request(target, { headers: { authorization } });
      expect(challengeOf(received)['stale']).toBeUndefined();
      expect(parsed(received)['detail']).toBe('the request has no Digest credentials');
    });
  });

  test('RFC 7616 3.4.6: credentials for another target are 400', async () => {
    const target = '/digest-auth/auth/user/passwd';
    for (const other of [`${target}?a`, `${target}/MD5`, 'x']) {
      const authorization = credentials(other, await challengeFor(target));
      const detail = `uri=${other} in Authorization is not the request target`;
      await expectRefused(client(), target, detail, { headers: { authorization } });
    }
    const absolute = `http://127.0.0.1:${running().port}${target}`;
    const authorization = credentials(absolute, await challengeFor(target));
    expect((await client().request(target, { headers: { authorization } })).status).toBe(200);
  });

  test('a nonce that wirebin did not issue is stale', async () => {
    const target = '/digest-auth/auth/user/passwd';
    const challenge = { ...(await challengeFor(target)), nonce: 'A'.repeat(42) };
    expectStale(
      await attempt(target, challenge),
      /^the nonce has expired or was not issued by wirebin$/,
    );
  });

  test('stale_after limits the requests with a nonce', async () => {
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

  test('a repeated nonce count on a connection is stale, one out of order is not', async () => {
    const target = '/digest-auth/auth/user/passwd/MD5';
    const own = openClient(transport, running().port);
    const challenge = await challengeFor(target, own);
    for (const nc of [1, 3, 2]) {
      expect((await attempt(target, challenge, { nc }, own)).status).toBe(200);
    }
    expectStale(await attempt(target, challenge, { nc: 2 }, own), /^nc=00000002 was already used$/);
    // The count of invalid credentials is not recorded.
    await attempt(target, challenge, { nc: 4, passwd: 'other' });
    expect((await attempt(target, challenge, { nc: 4 })).status).toBe(200);
  });

  test.each([
    ['/digest-auth/int/u/p', 'qop=int is not one of auth, auth-int, auth,auth-int'],
    ['/digest-auth/auth/u/p/SHA', /^algorithm=SHA is not one of MD5, MD5-sess, /],
    ['/digest-auth/auth/u/p/MD5/foo', 'stale_after=foo is not a whole decimal number'],
    ['/digest-auth/auth/u/p/MD5/4294967296', /^stale_after=4294967296 exceeds the maximum/],
    ['/digest-auth/auth/u/p/MD5?userhash=x', /^userhash=x is not one of/],
  ])('%s is rejected', async (target, detail) => {
    await expectRefused(client(), target, detail);
  });
});
