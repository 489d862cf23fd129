import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { allowedMethods, type Endpoint, type Method } from '../../src/server/endpoint.ts';
import { transports, type Sent } from '../_client.ts';
import { everywhere, overBothProtocols, overOneProtocol } from '../_everywhere.ts';
import {
  endpoints,
  expectDocumented,
  fieldNames,
  malformedTargets,
  otherMethods,
  quickValue,
  quickTarget,
  responseOf,
} from '../_walk.ts';
import { expectRefused } from '../_refusal.ts';
import { everyNth } from '../_whole.ts';

const MAX_BODY = 1000;
const cases = endpoints.map((declaration) => [declaration.path, declaration] as const);
/** Those that show or change what others do. A new endpoint is one of them, or it is not. */
const OTHERS = `
  /control/ready /control/drain /control/exit
  /metrics /metrics/history /connections /connections/{id} /tap /journal/{key}
`
  .trim()
  .split(/\s+/);
/** Those whose responses can be read. */
const answering = cases.filter(([, { group }]) => group !== 'faults');

function filesIn(folder: string): string[] {
  return readdirSync(new URL(`../../${folder}`, import.meta.url));
}

/** Where an endpoint is declared. */
function fileOf({ path }: Endpoint): string {
  return `${path.split('/')[1] || 'index'}.ts`;
}

describe('the list', () => {
  // A folder has parts of the endpoints of the same name.
  const sources = filesIn('src/endpoints').filter((name) => /^(?!all\.).*\.ts$/.test(name));

  test.each(sources)('%s is in the list, and has a test', (file) => {
    const todo = `add it to src/endpoints/all.ts, and name it after the first segment of its path`;
    expect(endpoints.map(fileOf), todo).toContain(file);
    const tests = filesIn('test/endpoints').map((name) => name.replace(/(?:\.timing)?\.test/, ''));
    expect(tests, `write test/endpoints/${file.replace(/ts$/, 'test.ts')}`).toContain(file);
  });

  test.each(cases)('the file of %s is named after the first segment', (path, declaration) => {
    const file = fileOf(declaration);
    expect(sources, `declare ${path} in src/endpoints/${file}`).toContain(file);
  });

  test.each(cases)('the parameters of %s have valid examples', (path, { params, query }) => {
    for (const [name, parameter] of Object.entries({ ...params, ...query })) {
      if (!parameter.required) continue;
      const todo = `give the schema of ${name} in ${path} \`examples\` that it accepts`;
      expect(() => parameter.parse(quickValue(parameter.schema), name), todo).not.toThrow();
    }
  });

  // The tests of wrong values below take the bounds from the declarations.
  test.each([
    ['/bytes/{n}', 'n', 10_485_760],
    ['/bytes/{n}', 'seed', 4_294_967_295],
    ['/links/{n}', 'n', 256],
    ['/range/{n}', 'n', 10_485_760],
    ['/redirect/{n}', 'n', 20],
    ['/stream-bytes/{n}', 'n', 10_485_760],
    ['/stream/{n}', 'n', 100],
  ])('%s: the maximum of %s is %i', (path, name, maximum) => {
    const { params, query } = endpoints.find((declaration) => declaration.path === path) ?? {};
    expect({ ...params, ...query }[name]?.schema.maximum).toBe(maximum);
  });

  test.each(['id', 'path'] as const)('no two endpoints have the same %s', (property) => {
    const values = endpoints.map((declaration) => declaration[property]);
    expect(values.filter((value, at) => values.indexOf(value) !== at)).toEqual([]);
  });

  test('web pages of other origins cannot use those that show or change what others do', () => {
    const own = endpoints.filter(({ ownOriginOnly }) => ownOriginOnly);
    expect(own.map(({ path }) => path).toSorted()).toEqual(OTHERS.toSorted());
  });

  test.each(cases)('%s has a summary that is a sentence', (_, { summary }) => {
    expect(summary).toMatch(/^\S.*\.$/s);
  });
});

const ENABLED = ['--allow-raw', '--tap', '--inspect', '--metrics-enabled', '--control=token'];
const SETTINGS = [
  ...ENABLED,
  '--hostname-enabled',
  '--env-prefix=SHOWN_',
  `--max-body-size=${MAX_BODY}`,
];

everywhere(({ client, transport }) => {
  // In the short form each endpoint over one of the transports, in turn.
  test.each(everyNth(transports.length, answering, transports.indexOf(transport)))(
    '%s responds to each of its methods as documented',
    async (_, declaration) => {
      const target = quickTarget(declaration);
      const methods = allowedMethods(declaration.methods);
      await Promise.all(
        methods.map(async (method) => {
          const headers = { 'x-request-id': `walk-${method}` };
          const answer = await client().request(target, { method, headers });
          if (method !== 'OPTIONS') expectDocumented(declaration, method, answer);
          if (declaration.responses[404] === undefined) expect(answer.status).not.toBe(404);
          expect(answer.status).not.toBe(405);
          expect(answer.headers['x-request-id']).toBe(`walk-${method}`);
          expect(answer.headers['x-response-time']).toMatch(/^\d+\.\d{3}ms$/);
        }),
      );
    },
  );
}, SETTINGS);

overBothProtocols(({ transport, client }) => {
  const ask = (target: string, sent?: Sent) => client().request(target, sent);

  const withHead = answering.filter(([, { methods }]) => allowedMethods(methods).includes('HEAD'));
  test.each(everyNth(2, withHead, transport === 'h2' ? 1 : 0))(
    'RFC 9110 9.3.2: HEAD %s has the fields of GET',
    async (_, declaration) => {
      const target = quickTarget(declaration);
      const [get, again, head] = await Promise.all([
        ask(target),
        ask(target),
        ask(target, { method: 'HEAD' }),
      ]);
      expect(head.status).toBe(get.status);
      expect(fieldNames(head)).toEqual(fieldNames(get));
      expect(head.body).toHaveLength(0);
      const fixed = get.body.equals(again.body);
      const same = fieldNames(get).filter(
        (name) =>
          !name.startsWith('x-re') &&
          String(get.headers[name]) === String(again.headers[name]) &&
          (fixed || name !== 'content-length'),
      );
      for (const name of same)
        expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
    },
  );

  // The tests' HTTP/2 client sends no content with GET, HEAD and DELETE.
  test.each(
    answering.filter(
      ([, declaration]) =>
        declaration.content === true &&
        (transport.endsWith('1.1') || contentMethod(declaration).startsWith('P')),
    ),
  )('RFC 9110 15.5.14: %s accepts content up to the limit', async (_, declaration) => {
    const target = quickTarget(declaration);
    const method = contentMethod(declaration);
    const send = (length: number) =>
      ask(target, {
        method,
        headers: { 'content-length': String(length) },
        body: 'x'.repeat(length),
      });
    const within = await send(MAX_BODY);
    expectDocumented(declaration, method, within);
    expect(within.status).not.toBe(413);
    const exceeds = await send(MAX_BODY + 1);
    expectDocumented(declaration, method, exceeds);
    expect(exceeds.status).toBe(413);
  });
}, SETTINGS);

overOneProtocol(({ client }) => {
  const ask = (target: string, sent?: Sent) => client().request(target, sent);

  test.each(cases)('RFC 9110 9.3.7: OPTIONS %s', async (_, { path, methods, ...rest }) => {
    const target = quickTarget({ path, methods, ...rest });
    const { status, headers, body } = await ask(target, { method: 'OPTIONS' });
    expect(status).toBe(204);
    expect(headers.allow).toBe(allowedMethods(methods).join(', '));
    expect(headers['content-length']).toBeUndefined();
    expect(body).toHaveLength(0);
  });

  test.each(cases.filter(([, { methods }]) => methods !== 'any'))(
    'RFC 9110 15.5.6: %s rejects other methods with 405 and Allow',
    async (_, declaration) => {
      const target = quickTarget(declaration);
      const answers = await Promise.all(
        otherMethods(declaration).map((method) => ask(target, { method })),
      );
      expect(answers.length).toBeGreaterThan(0);
      for (const { status, headers } of answers) {
        expect(status).toBe(405);
        expect(headers.allow).toBe(allowedMethods(declaration.methods).join(', '));
        expect(headers['content-type']).toBe('application/problem+json');
      }
    },
  );

  test.each(answering)(
    '%s has CORS fields for an Origin, and only then',
    async (_, declaration) => {
      const [method = 'OPTIONS'] = allowedMethods(declaration.methods);
      const target = quickTarget(declaration);
      const [without, withOrigin] = await Promise.all([
        ask(target, { method }),
        ask(target, { method, headers: { origin: 'https://example.com' } }),
      ]);
      expect(fieldNames(without).filter(isCors)).toEqual([]);
      const shared = ['access-control-allow-credentials', 'access-control-allow-origin'];
      const isShared = !declaration.ownOriginOnly;
      expect(fieldNames(withOrigin).filter(isCors)).toEqual(isShared ? shared : []);
      if (isShared) expect(withOrigin.headers.vary).toMatch(/(?:^|, )Origin$/);
    },
  );

  test.each(
    answering.filter(([, { responses }]) => responses[200]?.fields?.['Vary'] !== undefined),
  )(
    'RFC 9110 12.5.5: %s has the same Vary if it is 304, 406, 412 or 416',
    async (_, declaration) => {
      const target = quickTarget(declaration);
      const { headers } = await ask(target);
      for (const unusual of UNUSUAL) {
        const answer = await ask(target, { headers: unusual });
        expectDocumented(declaration, 'GET', answer);
        expect([unusual, answer.status, answer.headers.vary]).toEqual([
          unusual,
          answer.status,
          headers.vary,
        ]);
      }
    },
  );

  test.each(answering)('%s is for other sites unless it shows others', async (_, declaration) => {
    const [method = 'OPTIONS'] = allowedMethods(declaration.methods);
    const headers = { origin: 'https://example.com', 'sec-fetch-site': 'cross-site' };
    const answer = await ask(quickTarget(declaration), { method, headers });
    expect(answer.status === 403).toBe(declaration.ownOriginOnly);
    if (answer.status === 403) expectDocumented(declaration, method, answer);
  });
}, SETTINGS);

overOneProtocol(({ client }) => {
  // Not at /fault/{kind}, whose example is a kind that has a path of its own.
  const strict = cases.filter(
    ([path, { group }]) => group === 'faults' && !path.endsWith('{kind}'),
  );
  test.each(strict)('%s refuses an unknown parameter', async (_, declaration) => {
    const [method = 'OPTIONS'] = allowedMethods(declaration.methods);
    const target = quickTarget(declaration);
    const unknown = async (name: string) =>
      expectRefused(
        client(),
        `${target}${target.includes('?') ? '&' : '?'}${name}=1`,
        new RegExp(`^${name} is not a parameter of /\\S+; (did you mean|it has) \\w`),
        { method },
      );
    const [name = ''] = Object.keys(declaration.query);
    await unknown(`${name}x`);
    if (declaration.additionalQuery === undefined) await unknown('no-such-parameter');
  });
}, SETTINGS);

overOneProtocol(({ client }) => {
  test.each(cases.filter(([, declaration]) => malformedTargets(declaration).length > 0))(
    '%s names the invalid parameter',
    async (_, declaration) => {
      const [method = 'OPTIONS'] = allowedMethods(declaration.methods);
      expect(responseOf(declaration, method, 400)).toBeDefined();
      const answers = everyNth(4, malformedTargets(declaration)).map(async ([target, name]) => {
        const { status, headers, body } = await client().request(target, { method });
        expect([target, status]).toEqual([target, 400]);
        expect(headers['content-type']).toBe('application/problem+json');
        const problem = JSON.parse(body.toString()) as Record<string, unknown>;
        expect(problem).toMatchObject({ type: '/problems/invalid-parameter', status: 400 });
        expect(problem['detail']).toMatch(new RegExp(String.raw`\b${name}\b`));
      });
      await Promise.all(answers);
    },
  );

  const fixed = cases.filter(([path]) => path !== '/' && !path.startsWith('/anything'));
  test.each(everyNth(3, fixed))(
    '%s written differently is another path',
    async (_, declaration) => {
      const path = quickTarget(declaration).replace(/\?.*/, '');
      const encoded = `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`;
      const likes = [`/${path}`, `/.${path}`, `/x/..${path}`, `${path}/`, `${path}/x`, encoded];
      // A path parameter matches any segment, even an empty one, and validates it itself.
      const others = likes
        .filter((like) => endpoints.every((other) => !fits(other.path, like)))
        // Redirects for a slash too much or missing: see docs.test.ts.
        .filter((like) => !like.startsWith('/docs/'));
      expect(others.length).toBeGreaterThan(3);
      const answers = others.map(async (like) => {
        const { status, body } = await client().request(like);
        expect([like, status]).toEqual([like, 404]);
        expect(body.toString()).toContain('/problems/not-found');
      });
      await Promise.all(answers);
    },
  );

  test.each([
    ['~!"#$%&()*+,/:;<=>?@[]^_`{|}', true],
    ['caf\u00e9', false],
    ['', false],
  ])('X-Request-Id %s is kept: %s', async (id, kept) => {
    for (const target of ['/healthz', '/nowhere', '/bytes/x']) {
      const { headers } = await client().request(target, { headers: { 'x-request-id': id } });
      if (kept) expect(headers['x-request-id']).toBe(id);
      else expect(headers['x-request-id']).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab]/);
    }
  });
}, ENABLED);

/** What an endpoint may answer by another status than 200. */
const UNUSUAL: readonly Record<string, string>[] = [
  { 'if-none-match': '*' },
  { 'if-match': '"another"' },
  { range: 'bytes=99999999-' },
  { accept: 'other/type' },
  { 'accept-encoding': 'other, *;q=0' },
];

function isCors(name: string): boolean {
  return name.startsWith('access-control-');
}

/** A method for which the endpoint accepts content. */
function contentMethod({ methods }: Endpoint): Method {
  if (methods === 'any') return 'POST';
  return methods.find((method) => method !== 'GET') ?? 'GET';
}

/** Whether the path matches a pattern with path parameters, one segment each. */
function fits(pattern: string, path: string): boolean {
  const segments = pattern.split('/').map((part) => (part.startsWith('{') ? '[^/]*' : part));
  return pattern.includes('{') && new RegExp(`^${segments.join('/')}$`).test(path);
}
