import { describe, expect, test } from 'vitest';
import { inDialect } from './_in.ts';

describe.each([
  ['httpbin', 'text/html; charset=utf-8'],
  ['go-httpbin', 'text/plain; charset=utf-8'],
] as const)('%s', (name, type) => {
  const client = inDialect(name);

  test.each([
    [200, {}, ''],
    [302, { location: '/redirect/1' }, ''],
    [304, {}, ''],
    [204, {}, ''],
    [401, { 'www-authenticate': 'Basic realm="Fake Realm"' }, ''],
    [407, { 'proxy-authenticate': 'Basic realm="Fake Realm"' }, ''],
    [418, {}, "I'm a teapot!"],
    [599, {}, ''],
  ])('%i', async (status, fields, content) => {
    const received = await client().request(`/status/${status}`, { method: 'POST' });
    expect(received.status).toBe(status);
    expect(received.headers).toMatchObject(fields);
    expect(received.body.toString()).toBe(content);
    const hasContent = status !== 204 && status !== 304;
    expect(received.headers['content-type']).toBe(hasContent ? type : undefined);
  });

  test('406 lists the media types', async () => {
    const { headers, body } = await client().request('/status/406');
    expect(headers['content-type']).toBe('application/json');
    expect(JSON.parse(body.toString())).toHaveProperty('accept');
  });

  test('a list of statuses, and invalid values', async () => {
    const { status } = await client().request('/status/429:0,503:1');
    expect(status).toBe(503);
    expect((await client().request('/status/200,foo')).status).toBe(400);
    expect((await client().request('/status/600')).status).toBe(400);
  });
});

describe('go-httpbin', () => {
  const client = inDialect('go-httpbin');

  test.each([300, 308])('%i redirects to an image', async (status) => {
    const { headers, body } = await client().request(`/status/${status}`);
    expect(headers.location).toBe('/image/jpeg');
    expect(body.toString()).toContain('<a href="/image/jpeg">/image/jpeg</a>');
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
  });
});
