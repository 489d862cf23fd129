import { expect, test } from 'vitest';
import { parsed } from '../_echo.ts';
import { overOneProtocol } from '../_everywhere.ts';

overOneProtocol(({ client }) => {
  const ask = (authorization?: string) =>
    client().request('/bearer', { headers: authorization === undefined ? {} : { authorization } });

  test.each([
    ['Bearer abcd1234', 'abcd1234'],
    ['bearer  eyJhbGciOi.J9-_~+/x==', 'eyJhbGciOi.J9-_~+/x=='],
    [`Bearer ${'a'.repeat(10_000)}`, 'a'.repeat(10_000)],
  ])('RFC 6750 2.1: %.40s', async (authorization, token) => {
    const received = await ask(authorization);
    expect(received.status).toBe(200);
    expect(received.headers['content-type']).toBe('application/json');
    expect(parsed(received)).toEqual({ authenticated: true, token });
  });

  const NO_TOKENS = [undefined, '', 'Bearer', 'Bearer x y', 'Bearer <x>', 'Bearer1 x', 'Basic x'];
  test.each(NO_TOKENS)('RFC 6750 3: %s is rejected with a challenge', async (authorization) => {
    const { status, headers, body } = await ask(authorization);
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toBe('Bearer realm="wirebin"');
    expect(JSON.parse(body.toString())).toMatchObject({ type: '/problems/unauthorized' });
  });

  test('accepts any method', async () => {
    const headers = { authorization: 'Bearer x' };
    expect((await client().request('/bearer', { method: 'POST', headers })).status).toBe(200);
  });
});
