import { expect, test } from 'vitest';
import { overOneProtocol } from '../_everywhere.ts';

overOneProtocol(({ client }) => {
  test('a fixed document', async () => {
    const { status, headers, body } = await client().request('/html');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-length']).toBe(String(body.length));
    const document = body.toString();
    expect(document).toMatch(/^<!doctype html>\n<html lang="en">[^]*<\/html>\n$/);
    const tags = [...document.matchAll(/<(\/?)(html|head|title|body|h1|p|a)\b/g)];
    const open: string[] = [];
    for (const [, slash, name = ''] of tags) {
      if (slash === '') open.push(name);
      else expect(open.pop()).toBe(name);
    }
    expect(open).toEqual([]);
    expect((await client().request('/html')).body).toEqual(body);
  });
});
