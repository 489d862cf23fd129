import { expect, test } from 'vitest';
import { overOneProtocol } from '../_everywhere.ts';

overOneProtocol(({ client }) => {
  test('a fixed document', async () => {
    const { status, headers, body } = await client().request('/robots.txt');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(headers['content-length']).toBe(String(body.length));
    const document = body.toString();
    expect(document).toBe('User-agent: *\nDisallow: /\n');
    expect((await client().request('/robots.txt')).body).toEqual(body);
  });
});
