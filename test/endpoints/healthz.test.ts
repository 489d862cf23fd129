import { expect, test } from 'vitest';
import { overOneProtocol } from '../_everywhere.ts';

overOneProtocol(({ client }) => {
  test('responds with OK', async () => {
    const { status, headers, body } = await client().request('/healthz');
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^text\/plain/);
    expect(headers['content-length']).toBe('2');
    expect(body.toString()).toBe('OK');
  });
});
