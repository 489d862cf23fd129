import { expect, test } from 'vitest';
import { parsed } from '../_echo.ts';
import { overOneProtocol } from '../_everywhere.ts';

overOneProtocol(({ client }) => {
  test("the peer's address, regardless of headers", async () => {
    const received = await client().request('/ip', { headers: { 'x-forwarded-for': '192.0.2.1' } });
    expect(received.status).toBe(200);
    expect(parsed(received)).toEqual({ origin: '127.0.0.1' });
  });
});
