import { expect, test } from 'vitest';
import { everywhere } from '../_everywhere.ts';

everywhere(({ client, transport }) => {
  test('echoes method, target, headers and content', async () => {
    const { status, headers, body } = await client().request('/anything/a%2Fb/../c?x=1&x=2&y', {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'x-twice': ['one', 'two'] },
      body: '{"a":1}',
    });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    const view = JSON.parse(body.toString()) as Record<string, unknown>;
    expect(view).toMatchObject({
      method: 'PUT',
      path: '/anything/a%2Fb/../c',
      query: 'x=1&x=2&y',
      args: { x: ['1', '2'], y: '' },
      body: '{"a":1}',
      body_encoding: 'utf8',
      json: { a: 1 },
      headers: { 'x-twice': 'one, two' },
      conn: { protocol: transport },
    });
    expect('tls' in view).toBe(transport === 'h2' || transport === 'https/1.1');
  });
});
