import { expect, test } from 'vitest';
import { overOneProtocol } from '../_everywhere.ts';

overOneProtocol(({ client }) => {
  test('a page on a path that robots.txt disallows', async () => {
    const { status, headers, body } = await client().request('/deny');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(body.toString()).toContain("YOU SHOULDN'T BE HERE");
    expect((await client().request('/robots.txt')).body.toString()).toContain('\nDisallow: /\n');
  });
});
