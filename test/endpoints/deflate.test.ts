import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { overOneProtocol } from '../_everywhere.ts';

overOneProtocol(({ client }) => {
  test('RFC 9110 8.4.1.2: the echo in the zlib format, regardless of Accept-Encoding', async () => {
    for (const accepted of ['identity', 'deflate;q=0', '*']) {
      const { status, headers, body } = await client().request('/deflate?x=1', {
        headers: { 'accept-encoding': accepted },
      });
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'content-encoding': 'deflate',
        'content-length': String(body.length),
      });
      const view: unknown = JSON.parse(inflateSync(body).toString());
      expect(view).toMatchObject({
        method: 'GET',
        path: '/deflate',
        args: { x: '1' },
        headers: { 'accept-encoding': accepted },
      });
    }
  });

  test('a large echo too, and HEAD without content', async () => {
    const sent = { headers: { 'x-large': 'x'.repeat(20_000) } };
    const { body } = await client().request('/deflate', sent);
    expect(body.length).toBeLessThan(20_000);
    expect(inflateSync(body).toString()).toContain('x'.repeat(20_000));
    const head = await client().request('/deflate', { ...sent, method: 'HEAD' });
    expect(head.headers['content-encoding']).toBe('deflate');
    expect(head.body).toHaveLength(0);
  });
});
