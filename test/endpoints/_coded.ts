import { expect, test } from 'vitest';
import { overOneProtocol } from '../_everywhere.ts';

/** The tests of an endpoint that echoes in a content coding, whichever the request accepts. */
export function echoesCoded(
  path: string,
  coding: string,
  decode: (bytes: Uint8Array) => Buffer,
): void {
  overOneProtocol(({ client }) => {
    test(`the echo in ${coding}, regardless of Accept-Encoding`, async () => {
      for (const accepted of ['identity', `${coding};q=0`, '*']) {
        const { status, headers, body } = await client().request(`${path}?x=1`, {
          headers: { 'accept-encoding': accepted },
        });
        expect(status).toBe(200);
        expect(headers).toMatchObject({
          'content-type': 'application/json',
          'content-encoding': coding,
          'content-length': String(body.length),
        });
        expect(JSON.parse(decode(body).toString())).toMatchObject({
          method: 'GET',
          path,
          args: { x: '1' },
          headers: { 'accept-encoding': accepted },
        });
      }
    });

    test('a large echo too, and HEAD without content', async () => {
      const sent = { headers: { 'x-large': 'x'.repeat(20_000) } };
      const { body } = await client().request(path, sent);
      expect(body.length).toBeLessThan(20_000);
      expect(decode(body).toString()).toContain('x'.repeat(20_000));
      const head = await client().request(path, { ...sent, method: 'HEAD' });
      expect(head.headers['content-encoding']).toBe(coding);
      expect(head.body).toHaveLength(0);
    });
  });
}
