import { describe, expect, test } from 'vitest';
import { staticDocument } from '../../src/server/representation.ts';
import { overOneProtocol } from '../_everywhere.ts';
import { FakeExchange } from '../_exchange.ts';

const LAST_MODIFIED = 'Mon, 01 Jan 2024 00:00:00 GMT';

/** The entity tag of a document with this content. */
function tagOf(content: string | Buffer): string | undefined {
  const { fields } = staticDocument('text/plain', content)(new FakeExchange('/'));
  return fields[fields.indexOf('ETag') + 1];
}

test('a static document has its own entity tag, the same in every process', () => {
  expect(tagOf('a')).toBe('"ypeBEsobvcr6wjGzmiPcTa"');
  expect(tagOf(Buffer.from('a'))).toBe(tagOf('a'));
  expect(tagOf('b')).not.toBe(tagOf('a'));
});

overOneProtocol(({ client }) => {
  const get = (target: string, headers: Record<string, string> = {}) =>
    client().request(target, { headers });

  describe.each([
    ['/html', 'text/html; charset=utf-8'],
    ['/xml', 'application/xml'],
    ['/json', 'application/json'],
    ['/encoding/utf8', 'text/html; charset=utf-8'],
    ['/forms/post', 'text/html; charset=utf-8'],
    ['/image/png', 'image/png'],
    ['/image/jpg', 'image/jpeg'],
    ['/image/svg', 'image/svg+xml'],
    ['/image/webp', 'image/webp'],
    ['/image', 'image/png'],
  ])('%s', (path, type) => {
    test('supports conditional and range requests', async () => {
      const whole = await get(path);
      const { etag = '' } = whole.headers;
      const size = whole.body.length;
      expect(whole.status).toBe(200);
      expect(etag).toMatch(/^"[\w-]{22}"$/);
      expect(whole.headers).toMatchObject({
        'content-type': type,
        'last-modified': LAST_MODIFIED,
        'accept-ranges': 'bytes',
      });

      const same = await get(path, { 'if-none-match': `"x", W/${etag}` });
      expect([same.status, same.body.length]).toEqual([304, 0]);
      expect(same.headers).toMatchObject({ etag, 'last-modified': LAST_MODIFIED });
      expect(same.headers['content-type']).toBeUndefined();
      expect(same.headers.vary).toBe(whole.headers.vary);
      expect((await get(path, { 'if-modified-since': LAST_MODIFIED })).status).toBe(304);
      expect((await get(path, { 'if-none-match': '"x"' })).body).toEqual(whole.body);

      const failed = await get(path, { 'if-match': '"x"' });
      expect(failed.status).toBe(412);
      expect(failed.body.toString()).toContain(JSON.stringify(etag).slice(1, -1));
      expect((await get(path, { 'if-match': etag })).body).toEqual(whole.body);

      const part = await get(path, { range: 'bytes=10-19', 'if-range': etag });
      expect(part.status).toBe(206);
      expect(part.headers).toMatchObject({
        etag,
        'content-type': type,
        'content-range': `bytes 10-19/${size}`,
        'content-length': '10',
      });
      expect(part.headers.vary).toBe(whole.headers.vary);
      expect(part.body).toEqual(whole.body.subarray(10, 20));

      const parts = await get(path, { range: 'bytes=0-1,-3' });
      expect(parts.status).toBe(206);
      expect(parts.headers['content-length']).toBe(String(parts.body.length));
      const text = parts.body.toString('latin1');
      const head = `Content-Type: ${type}\r\nContent-Range: bytes`;
      const first = whole.body.toString('latin1', 0, 2);
      const last = whole.body.toString('latin1', size - 3);
      expect(text).toContain(`${head} 0-1/${size}\r\n\r\n${first}\r\n--`);
      expect(text).toContain(`${head} ${size - 3}-${size - 1}/${size}\r\n\r\n${last}\r\n--`);

      const beyond = await get(path, { range: `bytes=${size}-` });
      expect(beyond.status).toBe(416);
      expect(beyond.headers['content-range']).toBe(`bytes */${size}`);

      const head206 = await client().request(path, {
        method: 'HEAD',
        headers: { range: 'bytes=0-0' },
      });
      expect([head206.status, head206.headers['content-length']]).toEqual([200, String(size)]);
    });
  });
});
