import { expect, test } from 'vitest';
import { overBothProtocols } from '../_everywhere.ts';

overBothProtocols(({ client }) => {
  test('RFC 9110 9.3.2: HEAD has the fields of GET', async () => {
    const get = await client().request('/head?a=b');
    const head = await client().request('/head?a=b', { method: 'HEAD' });
    expect([head.status, head.body.length]).toEqual([200, 0]);
    expect(head.headers['content-type']).toBe('application/json');
    expect(Number(head.headers['content-length'])).toBeGreaterThan(300);
    expect(JSON.parse(get.body.toString())).toMatchObject({ method: 'GET', args: { a: 'b' } });
  });
});
