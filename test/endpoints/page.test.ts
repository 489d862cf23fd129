import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { overOneProtocol } from '../_everywhere.ts';
import { assetNames, assetsHash } from '../../src/pages/home/assets.ts';

test('all files that are made are served, but for what HTML reports include', () => {
  const made = readdirSync(new URL('../../dist/browser', import.meta.url));
  const names = made.filter((name) => /\.(?:js|css)$/.test(name));
  expect(names.toSorted()).toEqual([...assetNames, 'html-report.css'].toSorted());
});

overOneProtocol(({ client }) => {
  const get = (file: string, headers: Record<string, string> = {}) =>
    client().request(`/page/${file}`, { headers });

  test.each([
    ['page.css', 'text/css; charset=utf-8'],
    ['main.js', 'text/javascript; charset=utf-8'],
  ])('%s is %s', async (name, type) => {
    const hash = await assetsHash();
    const { status, headers, body } = await get(`${hash}/${name}`);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe(type);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers.vary).toBe('Accept-Encoding');
    expect(headers['content-encoding']).toBeUndefined();
    expect(body).toEqual(readFileSync(new URL(`../../dist/browser/${name}`, import.meta.url)));
  });

  test('each coding has an entity tag of its own, which validates', async () => {
    const hash = await assetsHash();
    const [plain, br, gzip] = await Promise.all(
      ['identity', 'br', 'gzip'].map((coding) =>
        get(`${hash}/main.js`, { 'accept-encoding': coding }),
      ),
    );
    expect(br?.headers['content-encoding']).toBe('br');
    expect(gzip?.headers['content-encoding']).toBe('gzip');
    expect(brotliDecompressSync(br?.body ?? '')).toEqual(plain?.body);
    expect(gunzipSync(gzip?.body ?? '')).toEqual(plain?.body);
    const tags = [plain, br, gzip].map((answer) => String(answer?.headers.etag));
    expect(new Set(tags).size).toBe(3);
    for (const tag of tags) expect(tag).toMatch(/^"[\w-]+"$/);
    const again = await get(`${hash}/main.js`, {
      'accept-encoding': 'br',
      'if-none-match': tags[1] ?? '',
    });
    expect(again.status).toBe(304);
    expect(again.body).toHaveLength(0);
  });

  test('a precondition that fails is 412', async () => {
    const { status } = await get('0/main.js', { 'if-match': '"other"' });
    expect(status).toBe(412);
  });

  test('under the hash of another version it is not cached', async () => {
    const { status, headers } = await get('other/main.js');
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('no-cache');
  });

  test.each([
    ['nothing.js', {}, 404],
    ['main.ts', {}, 404],
    // RFC 9110 12.5.3: rather than 406.
    ['main.js', { 'accept-encoding': 'identity;q=0' }, 200],
  ])('%s with %j is %i', async (name, headers, status) => {
    expect((await get(`0/${name}`, headers)).status).toBe(status);
  });
});
