import { expect, test } from 'vitest';
import { overOneProtocol } from '../_everywhere.ts';

overOneProtocol(({ client }) => {
  test.each(['GET', 'HEAD', 'POST'])('every hop of a chain, by %s', async (method) => {
    const hops = ['/relative-redirect/3', '/relative-redirect/2', '/relative-redirect/1', '/get'];
    for (const [at, target] of hops.slice(0, 3).entries()) {
      const { status, headers, body } = await client().request(target, { method });
      expect([status, headers.location, body.length]).toEqual([302, hops[at + 1], 0]);
      expect(headers['x-redirect-count']).toBe(String(3 - at));
    }
  });

  test('0 ends the chain', async () => {
    const { status, body } = await client().request('/relative-redirect/0');
    expect([status, body.toString()]).toEqual([200, 'Redirect complete']);
  });
});
