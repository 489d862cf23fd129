import { expect, test } from 'vitest';
import { parsed } from '../_echo.ts';
import { overOneProtocol } from '../_everywhere.ts';

overOneProtocol(({ client }) => {
  test.each([['probe/1.0 (x; y)'], [null]])('%s', async (value) => {
    const headers = value === null ? {} : { 'user-agent': value };
    const received = await client().request('/user-agent', { headers });
    expect(received.status).toBe(200);
    expect(parsed(received)).toEqual({ 'user-agent': value });
  });
});
