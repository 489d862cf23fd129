import { brotliDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { overOneProtocol } from '../_everywhere.ts';

overOneProtocol(({ client }) => {
  test('RFC 7932: the echo in br, regardless of Accept-Encoding', async () => {
    for (const accepted of ['identity', 'br;q=0', '*']) {
      const { status, headers, body } = await client().request('/brotli?x=1', {
        headers: { 'accept-encoding': accepted },
      });
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'content-encoding': 'br',
        'content-length': String(body.length),
      });
      const view: unknown = JSON.parse(brotliDecompressSync(body).toString());
      expect(view).toMatchObject({
        method: 'GET',
        path: '/brotli',
        args: { x: '1' },
        headers: { 'accept-encoding': accepted },
      });
    }
  });

  test('a large echo too, and HEAD without content', async () => {
    const sent = { headers: { 'x-large': 'x'.repeat(20_000) } };
    const { body } = await client().request('/brotli', sent);
    expect(body.length).toBeLessThan(20_000);
    expect(brotliDecompressSync(body).toString()).toContain('x'.repeat(20_000));
    const head = await client().request('/brotli', { ...sent, method: 'HEAD' });
    expect(head.headers['content-encoding']).toBe('br');
    expect(head.body).toHaveLength(0);
  });
});
