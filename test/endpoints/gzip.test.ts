import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { overOneProtocol } from '../_everywhere.ts';

overOneProtocol(({ client }) => {
  test('RFC 9110 8.4.1.3: the echo in gzip, regardless of Accept-Encoding', async () => {
    for (const accepted of ['identity', 'gzip;q=0', '*']) {
      const { status, headers, body } = await client().request('/gzip?x=1', {
        headers: { 'accept-encoding': accepted },
      });
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'content-length': String(body.length),
      });
      const view: unknown = JSON.parse(gunzipSync(body).toString());
      expect(view).toMatchObject({
        method: 'GET',
        path: '/gzip',
        args: { x: '1' },
        headers: { 'accept-encoding': accepted },
      });
    }
  });

  test('a large echo too, and HEAD without content', async () => {
    const sent = { headers: { 'x-large': 'x'.repeat(20_000) } };
    const { body } = await client().request('/gzip', sent);
    expect(body.length).toBeLessThan(20_000);
    expect(gunzipSync(body).toString()).toContain('x'.repeat(20_000));
    const head = await client().request('/gzip', { ...sent, method: 'HEAD' });
    expect(head.headers['content-encoding']).toBe('gzip');
    expect(head.body).toHaveLength(0);
  });
});
