import { describe, expect, test } from 'vitest';
import { overOneProtocol } from '../_everywhere.ts';

const HTML = 'text/html; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

interface Index {
  readonly endpoints: { id: string; path: string; methods: string[]; example: string }[];
}

function unescaped(html: string): string {
  return html.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}

overOneProtocol(({ client, running }) => {
  const get = (accept?: string, headers: Record<string, string> = {}) =>
    client().request('/', { headers: accept === undefined ? headers : { ...headers, accept } });
  const page = async (headers?: Record<string, string>) =>
    (await get(BROWSER, headers)).body.toString();
  const location = async (query: string) => {
    const { status, headers } = await client().request(`/?${query}`);
    return status === 302 ? headers.location : status;
  };
  const endpoints = async () =>
    (JSON.parse((await get('application/json')).body.toString()) as Index).endpoints;

  test.each([
    [undefined, TEXT],
    ['*/*', TEXT],
    ['text/*', TEXT],
    ['image/png', TEXT],
    ['application/json', 'application/json'],
    ['text/html;q=0.8, application/json;q=0.9', 'application/json'],
    ['text/html;q=0.9, application/json;q=0.8', HTML],
    [BROWSER, HTML],
  ])('RFC 9110 12.5.1: Accept %s gives %s', async (accept, type) => {
    const { status, headers } = await get(accept);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe(type);
    expect(headers.vary).toBe(type === HTML ? 'Accept, Accept-Encoding' : 'Accept');
  });

  test('the text is short, and says name, version, instance and how to ask for more', async () => {
    const text = (await get('*/*')).body.toString();
    expect(text).toMatch(/^wirebin \d+\.\d+\.\d+, instance one\n/);
    expect(text).toContain(`curl http://127.0.0.1:${running().port}/anything `);
    expect(text.split('\n').length).toBeLessThan(12);
  });

  test('the page has a form for each endpoint of the list', async () => {
    const forms = [...(await page()).matchAll(/<summary>.*?<code>(.*?)<\/code>/g)];
    const paths = forms.map(([, path = '']) => unescaped(path));
    const listed = (await endpoints()).map(({ path }) => path);
    expect(listed).toContain('/bytes/{n}');
    expect(paths.toSorted()).toEqual(listed.toSorted());
  });

  test('the page may load nothing from elsewhere and nothing inline, and is not stored', async () => {
    const { headers } = await get(BROWSER);
    const policy = String(headers['content-security-policy']);
    expect(policy.split('; ')).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(headers['cache-control']).toBe('no-store');
    const html = await page();
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
    const references = html.matchAll(
      /<(?:link|script|img|a|form)[^>]* (?:href|src|action)="([^"]*)"/g,
    );
    const outside = Array.from(references, ([, reference = '']) => reference).filter(
      (reference) => !/^(?:\.\/|#|[\w-]+(?:$|\/)|[\w-]+\.json$|data:image)/.test(reference),
    );
    expect(outside).toEqual([]);
  });

  test('the files of the page exist', async () => {
    const files = [...(await page()).matchAll(/"(page\/[^"]*)"/g)].map(([, file = '']) => file);
    // The style sheet and main.js.
    expect(files).toHaveLength(2);
    for (const file of files) {
      const { status, headers } = await client().request(`/${file}`);
      expect(status).toBe(200);
      expect(headers['cache-control']).toContain('immutable');
    }
  });

  test.each(['br', 'gzip', 'identity'])('the page is sent in %s', async (coding) => {
    const { headers, body } = await get(BROWSER, { 'accept-encoding': coding });
    expect(headers['content-encoding']).toBe(coding === 'identity' ? undefined : coding);
    expect(body.length < 20_000).toBe(coding !== 'identity');
  });

  test('the connection is that of the request, and hostile fields are escaped', async () => {
    const html = await page({
      'x-forwarded-for': `"><script>alert('1')</script>&`,
      cookie: 'a=<b>',
    });
    expect(html).not.toContain('<script>');
    expect(html).not.toContain('<b>alert');
    expect(html).toContain('&#60;script&#62;alert(&#39;1&#39;)&#60;/script&#62;&#38;');
    expect(html).toContain('<code>a=&#60;b&#62;</code>');
    expect(html).toContain('<dt>Protocol</dt><dd><code>http/1.1</code>');
    expect(html).toContain('<dt>Instance</dt><dd><code>one</code>');
  });

  describe('?try=', () => {
    test.each([
      ['try=bytes&n=5&seed=', './bytes/5'],
      ['try=bytes&n=5&seed=7', './bytes/5?seed=7'],
      ['try=bytes&n=..%2Fx%3Fa%23', './bytes/..%2Fx%3Fa%23'],
      ['try=anything_path_handler&path=a%2Fb%3Fc%23', './anything/a/b%3Fc%23'],
      ['try=get&more=a%3D1%26b%3D%2541%23', './get?a=1&b=%41%23'],
      ['try=ip&other=1', './ip'],
      ['try=fault_close&at=start&after=50%25', './fault/close?at=start&after=50%25'],
      ['try=nowhere', 400],
      ['try=post', 400],
    ])('%s leads to %s', async (query, target) => {
      expect(await location(query)).toBe(target);
    });

    test('every form with GET leads to a response of its endpoint', async () => {
      const html = await page();
      const forms = html.match(/<form action="\.\/"[^]*?<\/form>/g) ?? [];
      expect(forms.length).toBeGreaterThan(50);
      // /h2 changes the settings of the connection that all are on.
      const quick = forms.filter((form) => !/value="(?:delay|drip|fault|h2|tap)/.test(form));
      const targets = await Promise.all(
        quick.map(async (form) => {
          const inputs = [...form.matchAll(/<input ([^>]*)>/g)].filter(
            ([, attributes = '']) => !attributes.includes('checkbox'),
          );
          const selects = form.matchAll(/<select name="([^"]*)"(.*?)<\/select>/g);
          const query = new URLSearchParams();
          for (const [, attributes = ''] of inputs) {
            query.append(
              unescaped(/name="([^"]*)"/.exec(attributes)?.[1] ?? ''),
              unescaped(/ value="([^"]*)"/.exec(attributes)?.[1] ?? ''),
            );
          }
          for (const [, name = '', options = ''] of selects) {
            query.append(name, unescaped(/ selected>([^<]*)/.exec(options)?.[1] ?? ''));
          }
          return location(query.toString());
        }),
      );
      const answers = await Promise.all(
        targets.map(async (target) => ({
          target,
          answer: await client().request(`/${String(target).slice(2)}`),
        })),
      );
      const dead = answers.filter(
        ({ answer: { status, body } }) =>
          [400, 405].includes(status) || body.includes('is not a path of wirebin'),
      );
      expect(dead.map(({ target }) => target)).toEqual([]);
    });
  });
}, '--name=one');

overOneProtocol(({ client }) => {
  test('without its files, the page is a plain list of the endpoints that are on', async () => {
    const { body, headers } = await client().request('/', { headers: { accept: BROWSER } });
    expect(headers['content-type']).toBe(HTML);
    const html = body.toString();
    expect(html).toContain('<li><a href="/ip">');
    expect(html).not.toContain('/page/');
    expect(html).not.toContain('/uuid');
  });
}, '--disable=/page,/uuid');

overOneProtocol(({ client }) => {
  test('what is off is not on the page', async () => {
    const { body } = await client().request('/', { headers: { accept: BROWSER } });
    expect(body.toString()).toContain('<code>/ip</code>');
    expect(body.toString()).not.toMatch(/<code>\/(?:uuid|metrics)<|\/tap|openapi\.json/);
  });
}, '--disable=/uuid,/openapi.json');

overOneProtocol(({ client }) => {
  test('the index of httpbin stays a list, as HTML for all who do not ask for JSON', async () => {
    const { body, headers } = await client().request('/');
    expect(headers['content-type']).toBe(HTML);
    expect(headers.vary).toBe('Accept');
    expect(body.toString()).toContain('<a href="/ip">');
  });
}, '--dialect=httpbin');
