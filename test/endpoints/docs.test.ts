import { readFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { overOneProtocol } from '../_everywhere.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const HTML = 'text/html; charset=utf-8';
const MARKDOWN = 'text/markdown; charset=utf-8';
const source = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url));

/** Where the page of a source is served. */
function pathOf(name: string): string {
  return `/docs/${name}`.replace(/(?:(?<=\/)README)?\.md$/, '');
}

overOneProtocol(({ client }) => {
  const get = (path: string, headers: Record<string, string> = {}) =>
    client().request(`/docs${path}`, { headers });

  test.each([
    ['/', 'README.md'],
    ['/tap', 'tap.md'],
    ['/tap.md', 'tap.md'],
    ['/recipes/', 'recipes/README.md'],
    ['/recipes/README.md', 'recipes/README.md'],
    ['/recipes/nginx', 'recipes/nginx.md'],
    ['/t%61p', 'tap.md'],
    ['/recipes%2Fnginx', 'recipes/nginx.md'],
  ])('%s is a page for browsers, and the text of %s for others', async (path, name) => {
    const page = await get(path, BROWSER);
    expect([page.status, page.headers['content-type']]).toEqual([200, HTML]);
    expect(page.headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'self'/,
    );
    const text = await get(path);
    expect([text.status, text.headers['content-type']]).toEqual([200, MARKDOWN]);
    expect(text.body).toEqual(source(name));
    for (const { headers } of [page, text]) {
      expect(headers.vary).toBe('Accept, Accept-Encoding');
      expect(headers['cache-control']).toBe('no-cache');
    }
  });

  test.each([
    ['/recipes', 'recipes/'],
    ['/tap/', '../tap'],
    ['/endpoints/', '../endpoints'],
    ['/coming-from/httpbin/', '../httpbin'],
  ])('%s redirects to %s', async (path, location) => {
    const { status, headers } = await get(path);
    expect([status, headers.location]).toEqual([302, location]);
  });

  test('a page has an entity tag for each coding, which validates', async () => {
    const codings = ['identity', 'br', 'gzip', 'x, identity;q=0'];
    const [plain, br, gzip, unknown] = await Promise.all(
      codings.map((coding) => get('/tap', { ...BROWSER, 'accept-encoding': coding })),
    );
    expect(brotliDecompressSync(br?.body ?? '')).toEqual(plain?.body);
    expect(gunzipSync(gzip?.body ?? '')).toEqual(plain?.body);
    expect(unknown?.body).toEqual(plain?.body);
    const tags = [plain, br, gzip].map((each) => String(each?.headers.etag));
    expect(new Set(tags).size).toBe(3);
    for (const [at, tag] of tags.entries()) {
      const headers = { ...BROWSER, 'accept-encoding': codings[at] ?? '' };
      expect((await get('/tap', { ...headers, 'if-none-match': tag })).status).toBe(304);
      expect((await get('/tap', { ...headers, 'if-match': '"other"' })).status).toBe(412);
    }
  });

  test.each([
    ['/tpa', 'did you mean /docs/tap?'],
    ['/TAP', 'did you mean /docs/tap?'],
    ['/recipe', 'did you mean /docs/recipes/?'],
    ['/quite-another', '/docs/ has the contents'],
    ...[
      '/../package.json',
      '/..%2fpackage.json',
      '/%2e%2e/package.json',
      '//etc/passwd',
      '/.',
      '/..',
      '/%',
      '/%00',
      '/%ff',
      '/files.txt',
      '/tap.md.html',
      '/tap.md.html.br',
      '/__proto__',
      '/C:%5C',
      '/\\..\\package.json',
      `/${'a'.repeat(5000)}`,
      `/${'/'.repeat(5000)}`,
      `/${'.md'.repeat(1500)}`,
    ].map((path) => [path, 'is not a page of /docs/; ']),
  ])('%s is 404: %s', async (path, detail) => {
    for (const headers of [{}, BROWSER]) {
      const { status, body } = await get(path, headers);
      expect([status, body.toString()]).toEqual([404, expect.stringContaining(detail)]);
    }
  });

  test('without a slash, it redirects to the contents', async () => {
    const { status, headers } = await get('');
    expect([status, headers.location]).toEqual([302, 'docs/']);
  });

  test('HEAD, OPTIONS, Range and other methods', async () => {
    const page = await client().request('/docs/tap', { headers: BROWSER });
    const head = await client().request('/docs/tap', { method: 'HEAD', headers: BROWSER });
    expect([head.status, head.headers.etag]).toEqual([200, page.headers.etag]);
    expect((await client().request('/docs/tap', { method: 'OPTIONS' })).status).toBe(204);
    expect((await client().request('/docs/tap', { method: 'POST' })).status).toBe(405);
    // RFC 9110 14.2: a server may ignore it.
    const range = await client().request('/docs/tap', { headers: { range: 'bytes=0-1' } });
    expect([range.status, range.body]).toEqual([200, source('tap.md')]);
  });

  test('every link of every page leads to a page and a heading, and every page is linked', async () => {
    const pages = new Map<string, Promise<string>>();
    const broken: string[] = [];
    const textOf = (path: string): Promise<string> => {
      const known = pages.get(path);
      if (known) return known;
      const answer = client().request(path, { headers: BROWSER });
      const text = answer.then(({ status, body }) => (status === 200 ? body.toString() : ''));
      pages.set(path, text);
      return text;
    };
    const walk = async (path: string): Promise<void> => {
      const html = await textOf(path);
      expect(html).not.toMatch(/<a [^>]*>(?:(?!<\/a>)[^])*<a /);
      const links = Array.from(html.matchAll(/ href="([^"]+)"/g), ([, href = '']) => href);
      for (const href of links.filter((link) => !/^(?:https?|data):/.test(link))) {
        const { pathname, hash } = new URL(href, `http://a${path}`);
        const isNew = !pages.has(pathname);
        const target = await textOf(pathname);
        const anchor = hash === '' ? '' : ` id="${decodeURIComponent(hash.slice(1))}"`;
        if (target === '' || !target.includes(anchor)) broken.push(`${path}: ${href}`);
        if (isNew && pathname.startsWith('/docs/')) await walk(pathname);
      }
    };
    await walk('/docs/');
    expect(broken).toEqual([]);
    const names = readFileSync(new URL('../../dist/docs/files.txt', import.meta.url), 'utf8');
    expect(
      names
        .split('\n')
        .map(pathOf)
        .filter((path) => !pages.has(path)),
    ).toEqual([]);
  });

  test('its style sheet never changes', async () => {
    const page = (await get('/', BROWSER)).body.toString();
    const [, name = ''] = /"([\w-]+\.css)"/.exec(page) ?? [];
    const { headers } = await get(`/${name}`);
    expect(headers['content-type']).toBe('text/css; charset=utf-8');
    expect(headers['cache-control']).toContain('immutable');
  });
});

describe('switched off', () => {
  overOneProtocol(({ client }) => {
    test('neither served nor linked', async () => {
      for (const path of ['/docs', '/docs/', '/docs/tap']) {
        expect((await client().request(path)).status).toBe(404);
      }
      for (const path of ['/', '/problems/not-found']) {
        const { body } = await client().request(path, { headers: BROWSER });
        expect(body.toString()).not.toContain('docs/');
      }
      const list = await client().request('/', { headers: { accept: 'application/json' } });
      expect(list.body.toString()).not.toContain('docs');
    });
  }, '--disable=/docs');
});
