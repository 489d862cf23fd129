import { expect, test } from 'vitest';
import { METHODS } from '../_client.ts';
import { overOneProtocol } from '../_everywhere.ts';

overOneProtocol(({ client }) => {
  test.each(METHODS)('every hop of a chain, by %s', async (method) => {
    let target = '/redirect/20';
    for (let n = 20; n > 0; n--) {
      const { status, headers, body } = await client().request(target, { method });
      expect(status).toBe(302);
      expect(headers['x-redirect-count']).toBe(String(n));
      expect(headers.location).toBe(n === 1 ? '/get' : `/redirect/${n - 1}`);
      expect(body).toHaveLength(0);
      target = headers.location ?? '';
    }
    expect(target).toBe('/get');
  });

  test('0 ends the chain', async () => {
    const { status, headers, body } = await client().request('/redirect/0');
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^text\/plain/);
    expect(headers['x-redirect-count']).toBe('0');
    expect(headers.location).toBeUndefined();
    expect(body.toString()).toBe('Redirect complete');
  });
});
