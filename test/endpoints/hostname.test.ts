import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { parsed } from '../_echo.ts';
import { everywhere } from '../_everywhere.ts';

everywhere(({ client }) => {
  test('is not there unless it is enabled', async () => {
    const { status, body } = await client().request('/hostname');
    expect(status).toBe(404);
    expect(body.toString()).not.toContain(hostname());
  });
});

everywhere(({ client }) => {
  test('is the name of the machine', async () => {
    const received = await client().request('/hostname');
    expect(received.status).toBe(200);
    expect(parsed(received)).toEqual({ hostname: hostname() });
  });
}, '--hostname-enabled');
