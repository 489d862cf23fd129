import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allEndpoints, completeState } from '../../src/endpoints/all.ts';
import { openClient } from '../_client.ts';
import { overOneProtocol, sharedPlace } from '../_everywhere.ts';
import { pipelined } from '../_pipeline.ts';
import { startService } from '../_service.ts';
import { documentOf, filled, targetsOf, type Target } from './_targets.ts';

/** Values that are not numbers, too large, not UTF-8 or not valid in a field. */
const BAD = ['%', '%zz', '%FF', 'x', '-1', '1.5', '99999999999999999999', '%0D%0Aa:b', '%00', '🙂'];

const isInternalError = (status: number): boolean => status === 500;

const TITLES = {
  httpbin: 'httpbin.org',
  'go-httpbin': 'go-httpbin(1): HTTP Client Testing Service',
  'postman-echo': 'Postman Echo',
};

/** Number of requests that a test must exceed: postman-echo has four paths with parameters. */
const FEWEST = { httpbin: 10, 'go-httpbin': 10, 'postman-echo': 3 };

/** Compiles its schema once. */
const validator = new Validator();

describe.each(['httpbin', 'go-httpbin', 'postman-echo'] as const)('%s', (name) => {
  const settings = ['--dialect', name, '--max-duration', '0', '--metrics-enabled'];
  const { client, running } = sharedPlace('http/1.1', ...settings);
  let all: readonly Target[];
  beforeAll(async () => {
    all = await targetsOf(client());
  });
  afterAll(() => expect(running().logged).toEqual([]));

  test('its document is valid OpenAPI 3.1, and not large', async () => {
    const document = await documentOf(client());
    const { errors, valid } = await validator.validate({ ...structuredClone(document) });
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(JSON.stringify(document).length).toBeLessThan(200_000);
  });

  test('it does not say of endpoints what only those of wirebin do', async () => {
    const { body } = await client().request('/', { headers: { accept: 'text/html' } });
    const text = body.toString();
    expect(text).toContain('Echoes the request: ');
    expect(text).not.toMatch(/content, connection and TLS|lower-case/);
  });

  test('the page at / has the title of the original', async () => {
    const { body } = await client().request('/', { headers: { accept: 'text/html' } });
    expect(body.toString()).toContain(`<title>${TITLES[name]}</title>`);
    const isHttpbin = name === 'httpbin';
    expect(body.includes('HTTP Request &amp; Response Service')).toBe(isHttpbin);
  });

  test('every parameter is described', () => {
    for (const { method, path, parameters } of all) {
      const bare = parameters.filter(({ description }) => !description?.endsWith('.'));
      expect([method, path, bare]).toEqual([method, path, []]);
    }
  });

  /** Every path and method, with path parameters filled in. */
  const targets = (fill: (example: string) => string, from = all) =>
    from.map((target): [method: string, target: string] => [target.method, filled(target, fill)]);

  /** One method of each path: an endpoint reads the same parameters for every method. */
  const onePerPath = () => [...new Map(all.map((target) => [target.path, target])).values()];

  /** @returns the requests whose status the condition holds for */
  const requestsWith = async (
    condition: (status: number) => boolean,
    asked: readonly (readonly [method: string, target: string])[],
  ): Promise<unknown[]> => {
    const requests = asked
      // It fails at random.
      .filter(([, target]) => !target.startsWith('/unstable'))
      .map(([method, target]) => ({ method, target }));
    expect(requests.length).toBeGreaterThan(FEWEST[name]);
    const answers = await pipelined(running().port, requests);
    return requests.filter((_, at) => condition(answers[at]?.status ?? 0));
  };

  test('every endpoint responds to its example', async () => {
    // Node may have no zstd.
    const asked = targets(encodeURIComponent).filter(([, target]) => target !== '/zstd');
    expect(await requestsWith((status) => status >= 500, asked)).toEqual([]);
  });

  test.each(BAD)('no path with %s is an internal error', async (wrong) => {
    const examples = new Set(targets(encodeURIComponent).map(([, target]) => target));
    const value = encodeURI(wrong).replace(/%25/g, '%');
    // Those without path parameters are the same as the examples.
    const asked = targets(() => value, onePerPath()).filter(([, target]) => !examples.has(target));
    expect(await requestsWith(isInternalError, asked)).toEqual([]);
  });

  test.each(BAD)('no query parameter of %s is an internal error', async (wrong) => {
    const queries = new Set<string>();
    for (const parameter of all.flatMap(({ parameters }) => parameters)) {
      if (parameter.in === 'query') queries.add(parameter.name);
    }
    const value = encodeURI(wrong).replace(/%25/g, '%');
    const query = [...queries, 'Content-Type', 'attr[Path]', wrong].map(
      (key) => `${encodeURI(key)}=${value}`,
    );
    const asked = targets(encodeURIComponent, onePerPath()).map(
      ([method, target]) => [method, `${target}?${query.join('&')}`] as const,
    );
    expect(await requestsWith(isInternalError, asked)).toEqual([]);
  });
});

const NAMED = ['wirebin', 'httpbin', 'go-httpbin', 'postman-echo'] as const;

test.each(NAMED)('--disable applies to %s', async (name) => {
  const paths = allEndpoints(completeState).map(({ path }) => path);
  const off = ['--disable', paths.join(',')];
  const { port } = await startService('--dialect', name, '--metrics-enabled', ...off);
  const client = openClient('http/1.1', port);
  for (const path of paths) {
    const target = path.replace(/\{\w+\}|\*\w+/g, '1');
    const { status } = await client.request(target);
    expect([target, status]).toEqual([target, 404]);
  }
});

overOneProtocol(({ client }) => {
  test.each([
    ['wirebin', { args: { a: '1' }, query: 'a=1&dialect=wirebin' }],
    ['httpbin', { args: { a: '1' }, origin: '127.0.0.1' }],
    ['go-httpbin', { args: { a: ['1'] }, method: 'GET' }],
    ['postman-echo', { args: { a: '1' }, headers: { host: expect.any(String) } }],
    ['gateway-api', { path: '/get?a=1&dialect=gateway-api', pod: '' }],
  ])('?dialect=%s selects the dialect of one response', async (name, view) => {
    const { status, body } = await client().request(`/get?a=1&dialect=${name}`);
    expect(status).toBe(200);
    expect(JSON.parse(body.toString())).toMatchObject(view);
  });

  test('an unknown dialect is 400, and the detail lists them', async () => {
    for (const path of ['/get', '/nowhere']) {
      const { status, body } = await client().request(`${path}?a=1&dialect=none`);
      expect(status).toBe(400);
      expect(JSON.parse(body.toString())).toMatchObject({
        type: '/problems/invalid-parameter',
        detail:
          'dialect=none is not one of wirebin, httpbin, go-httpbin, gateway-api, postman-echo',
      });
    }
  });

  test('errors are in the selected dialect', async () => {
    const { headers } = await client().request('/nowhere?dialect=httpbin');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    const { body } = await client().request('/nowhere?dialect=gateway-api', { method: 'OPTIONS' });
    expect(JSON.parse(body.toString())).toMatchObject({ method: 'OPTIONS' });
  });
});
