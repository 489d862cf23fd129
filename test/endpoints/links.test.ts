import { expect, test } from 'vitest';
import { overOneProtocol } from '../_everywhere.ts';

overOneProtocol(({ client }) => {
  test.each(['GET', 'HEAD'])('%s redirects to the first page', async (method) => {
    const { status, headers, body } = await client().request('/links/10?a=b', { method });
    expect([status, headers.location, body.length]).toEqual([302, '/links/10/0', 0]);
  });

  test.each([
    [0, 0, ''],
    [2, 0, '0 <a href="/links/2/1">1</a> '],
    [2, 1, '<a href="/links/2/0">0</a> 1 '],
    [2, 2, '<a href="/links/2/0">0</a> <a href="/links/2/1">1</a> '],
  ])('of %d pages, number %d', async (n, offset, expected) => {
    const { status, headers, body } = await client().request(`/links/${n}/${offset}`);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(body.toString()).toBe(
      `<html><head><title>Links</title></head><body>${expected}</body></html>`,
    );
  });

  test('256 pages link to each other', async () => {
    const { body } = await client().request('/links/256/255');
    const targets = [...body.toString().matchAll(/href="(.*?)"/g)].map(([, target]) => target);
    expect(targets).toEqual(Array.from({ length: 255 }, (_, at) => `/links/256/${at}`));
    const first = await client().request(targets[0] ?? '');
    expect(first.body.toString()).toContain('<body>0 <a href="/links/256/1">1</a> ');
  });
});
