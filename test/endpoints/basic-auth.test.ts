import { expect, test } from 'vitest';
import { parsed } from '../_echo.ts';
import { overOneProtocol } from '../_everywhere.ts';
import { expectRefused } from '../_refusal.ts';

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

overOneProtocol(({ client }) => {
  const ask = (path: string, authorization?: string | string[], method = 'GET') =>
    client().request(path, {
      method,
      headers: authorization === undefined ? {} : { authorization },
    });

  test.each([
    ['/basic-auth/user/passwd', basic('user:passwd'), 'user'],
    ['/basic-auth/user/passwd', basic('user:passwd').replace('Basic', 'bASIC'), 'user'],
    ['/basic-auth/gr%C3%BCn/%E2%82%AC%3A1', basic('grün:€:1'), 'grün'],
    ['/basic-auth/a%20b/', basic('a b:'), 'a b'],
    ['/basic-auth//x', basic(':x'), ''],
  ])('RFC 7617: %s accepts its user', async (path, authorization, user) => {
    const received = await ask(path, authorization);
    expect(received.status).toBe(200);
    expect(received.headers['content-type']).toBe('application/json');
    expect(parsed(received)).toEqual({ authenticated: true, authorized: true, user });
    expect((await ask(path.replace('/basic', '/hidden-basic'), authorization)).body).toEqual(
      received.body,
    );
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s is challenged too', async (method) => {
    expect((await ask('/basic-auth/a/b', basic('a:b'), method)).status).toBe(200);
    expect((await ask('/basic-auth/a/b', undefined, method)).status).toBe(401);
  });

  test.each([
    undefined,
    basic('user:'),
    basic('user:passwd').replace('Basic', 'Bearer'),
    `${basic('user:passwd')}, ${basic('user:passwd')}`,
    `Basic ${'a'.repeat(20_000)}`,
  ])('RFC 9110 11.6.1: %.40s is rejected with a challenge', async (authorization) => {
    const { status, headers, body } = await ask('/basic-auth/user/passwd', authorization);
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toBe('Basic realm="wirebin", charset="UTF-8"');
    expect(JSON.parse(body.toString())).toMatchObject({ type: '/problems/unauthorized' });
    const hidden = await ask('/hidden-basic-auth/user/passwd', authorization);
    expect(hidden.status).toBe(404);
    expect(hidden.headers['www-authenticate']).toBeUndefined();
    expect(JSON.parse(hidden.body.toString())).toMatchObject({ type: '/problems/not-found' });
  });

  test('RFC 7617 2: a user with a colon is rejected', async () => {
    for (const path of ['/basic-auth', '/hidden-basic-auth']) {
      await expectRefused(client(), `${path}/a%3Ab/c`, 'user=a:b has a colon');
    }
  });
});
