import { expect, test } from 'vitest';
import { parsed } from '../_echo.ts';
import { overOneProtocol } from '../_everywhere.ts';

overOneProtocol(({ client }) => {
  test('shows every field, with lines of the same name joined (RFC 9110 5.2)', async () => {
    const received = await client().request('/headers', {
      headers: { 'X-Forwarded-For': '192.0.2.1', 'x-twice': ['1', '2'], cookie: ['a=1', 'b=2'] },
    });
    expect(received.status).toBe(200);
    expect(parsed(received)).toMatchObject({
      headers: { 'x-forwarded-for': '192.0.2.1', 'x-twice': '1, 2', cookie: 'a=1; b=2' },
    });
  });
});
