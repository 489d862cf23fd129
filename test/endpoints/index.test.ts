import { expect, test } from 'vitest';
import { overBothProtocols } from '../_everywhere.ts';

interface Index {
  readonly endpoints: { path: string; methods: string[]; example: string }[];
}

function unescaped(html: string): string {
  return html.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}

overBothProtocols(({ client }) => {
  const get = (accept?: string) =>
    client().request('/', { headers: accept === undefined ? {} : { accept } });

  test.each([
    [undefined, 'text/html; charset=utf-8'],
    ['*/*', 'text/html; charset=utf-8'],
    ['application/json', 'application/json'],
    ['text/html;q=0.8, application/json;q=0.9', 'application/json'],
    ['text/html;q=0.9, application/json;q=0.8', 'text/html; charset=utf-8'],
    ['image/png', 'text/html; charset=utf-8'],
  ])('RFC 9110 12.5.1: Accept %s gives %s', async (accept, type) => {
    const { status, headers } = await get(accept);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe(type);
    expect(headers.vary).toBe('Accept');
  });

  test('the page and the object list the same endpoints', async () => {
    const page = (await get()).body.toString();
    const index = JSON.parse((await get('application/json')).body.toString()) as Index;
    expect(index.endpoints.map(({ path }) => path)).toContain('/bytes/{n}');
    const listed = [...page.matchAll(/<li>.*?<code>(.*?)<\/code>/g)].map(([, path]) => path);
    const paths = index.endpoints.map(({ path }) => path);
    expect(listed).toHaveLength(paths.length);
    expect(new Set(listed)).toEqual(new Set(paths));
  });

  test('every link of the page works', async () => {
    const page = (await get()).body.toString();
    const links = [...page.matchAll(/href="([^"]*)"/g)].map(([, link = '']) => unescaped(link));
    expect(links.length).toBeGreaterThan(10);
    const answers = await Promise.all(
      links
        // /h2 changes the settings of the connection that all are on.
        .filter((link) => !/^\/(?:delay|drip|fault|h2)\b/.test(link))
        .map(async (link) => ({ link, answer: await client().request(link) })),
    );
    // Some endpoints fail on purpose. A link is broken if its path or example is invalid.
    const dead = answers.filter(
      ({ answer: { status, body } }) =>
        [400, 405].includes(status) || body.includes('is not a path of wirebin'),
    );
    expect(dead.map(({ link }) => link)).toEqual([]);
  });

  test('the page needs no other resources', async () => {
    const page = (await get()).body.toString();
    expect(page.replace(/<pre>.*?<\/pre>/g, '')).not.toMatch(
      /<script|src=|@import|url\(|https?:\/\//,
    );
    expect(page).toContain('name="viewport"');
    expect(page).toContain('prefers-color-scheme: dark');
    expect(page.length).toBeLessThan(200 * page.split('<li>').length);
  });
});
