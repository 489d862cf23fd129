import { expect, test } from 'vitest';
import { overOneProtocol } from '../_everywhere.ts';

overOneProtocol(({ client }) => {
  test('is a form that /post echoes', async () => {
    const { status, headers, body } = await client().request('/forms/post');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    const page = body.toString();
    const [, method = '', action = ''] = /<form method="(\w+)" action="([^"]*)">/.exec(page) ?? [];
    const names = [...page.matchAll(/<(?:input|textarea)[^>]* name="(\w+)"/g)].map(
      ([, name]) => name,
    );
    const form = Object.fromEntries(names.map((name) => [name, `a ${name}`]));
    const echo = await client().request(action, {
      method: method.toUpperCase(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    });
    expect(JSON.parse(echo.body.toString())).toMatchObject({ form });
    expect(Object.keys(form)).toEqual([
      'custname',
      'custtel',
      'custemail',
      'size',
      'topping',
      'delivery',
      'comments',
    ]);
  });
});
