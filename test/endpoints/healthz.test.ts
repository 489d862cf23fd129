import { expect, test } from 'vitest';
import { overOneProtocol } from '../_everywhere.ts';

overOneProtocol(({ client }) => {
  test('responds with OK', async () => {
    const { status, headers, body } = await client().request('/healthz');
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^text\/plain/);
    expect(body.toString()).toBe('OK');
  });

  test('HEAD has the length and no content', async () => {
    const { status, headers, body } = await client().request('/healthz', { method: 'HEAD' });
    expect(status).toBe(200);
    expect(headers['content-length']).toBe('2');
    expect(body).toHaveLength(0);
  });
});
