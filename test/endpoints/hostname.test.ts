import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { parsed } from '../_echo.ts';
import { overOneProtocol } from '../_everywhere.ts';

overOneProtocol(({ client }) => {
  test('is the host name of the machine', async () => {
    const received = await client().request('/hostname');
    expect(received.status).toBe(200);
    expect(parsed(received)).toEqual({ hostname: hostname() });
  });
}, '--hostname-enabled');
