import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { allEndpoints, completeState } from '../../src/endpoints/all.ts';
import { allowedMethods, endpoint, type Endpoint } from '../../src/server/endpoint.ts';
import { anyText, described, flag, int, optional } from '../../src/server/params.ts';
import { empty } from '../../src/server/reply.ts';
import { objectSchema, TEXT } from '../../src/server/schema.ts';
import { openApiDocument, pathOf } from '../../src/pages/openapi.ts';
import { Schemas } from '../../src/pages/openapi-components.ts';
import { operationsOf } from '../_openapi.ts';

interface Document {
  readonly openapi: string;
  readonly info: { version: string; description: string };
  readonly servers: unknown;
  readonly tags: { name: string }[];
  readonly paths: Record<string, Record<string, Record<string, unknown>>>;
  readonly components: {
    schemas: Record<string, { properties: Record<string, unknown> }>;
    responses: Record<string, { headers: Record<string, unknown> }>;
  };
}

/** Serializes and parses the document. */
function read(endpoints: readonly Endpoint[], connHeaders = true, lean = false): Document {
  return JSON.parse(JSON.stringify(openApiDocument(endpoints, { connHeaders, lean }))) as Document;
}

const endpoints = allEndpoints(completeState);
const document = read(endpoints);
const paths = operationsOf(document);
const operations = Object.values(paths).flatMap((item) => Object.values(item));

describe('the document of all endpoints', () => {
  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate({ ...structuredClone(document) });
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    expect(validator.version).toBe('3.1');
    expect(() => validator.resolveRefs()).not.toThrow();
  });

  test('has at most 2,100 bytes per endpoint, with every endpoint and field', () => {
    expect(Buffer.byteLength(JSON.stringify(document))).toBeLessThan(2100 * endpoints.length);
  });

  test('has each curl command once, at the method that it sends', () => {
    const sampled = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([, operation]) => 'x-codeSamples' in operation)
        .map(([method]) => `${method} ${path}`),
    );
    const commands = endpoints.filter(({ curl }) => curl !== undefined);
    expect(sampled.map((each) => each.replace(/^\w+ /, '')).toSorted()).toEqual(
      commands.map(({ path }) => path).toSorted(),
    );
    expect(sampled).toEqual(
      expect.arrayContaining(['put /early', 'post /raw', 'get /journal/{key}', 'get /fault/close']),
    );
  });

  test('has no duplicate components, and references to what is used several times', () => {
    const { responses, ...others } = document.components;
    for (const members of [responses, ...Object.values(others)]) {
      const texts = Object.values(members).map((member) => JSON.stringify(member));
      expect(new Set(texts).size).toBe(texts.length);
    }
    const plain = operations
      .flatMap(({ parameters }) => parameters)
      .map((one) => JSON.stringify(one));
    const written = JSON.stringify(document.paths);
    expect(plain.filter((text) => written.split(text).length > 2)).toEqual([]);
  });

  test('every path has a summary, at GET if GET is allowed', () => {
    for (const [path, item] of Object.entries(paths)) {
      const { get, ...others } = item;
      const summaries = Object.values(get ? { get } : others).map(({ summary }) => summary);
      expect([path, summaries.some((summary) => summary?.endsWith('.'))]).toEqual([path, true]);
    }
  });

  test('declares X-Conn-Id and X-Conn-Request only if responses have them', () => {
    expect(Object.keys(document.components.responses['Problem']?.headers ?? {})).toEqual([
      'X-Request-Id',
      'X-Response-Time',
      'X-Conn-Id',
      'X-Conn-Request',
    ]);
    expect(JSON.stringify(read(endpoints, false))).not.toContain('X-Conn-');
  });

  test('has the version of the API, not of the package', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info.version).toBe('1.6.0');
    expect(document.servers).toMatchObject([{ url: '/' }]);
  });

  test('has exactly the paths and methods of the endpoints, and says once that each has OPTIONS', () => {
    const written = Object.entries(document.paths).map(([path, item]) => [
      path,
      Object.keys(item)
        .filter((name) => name !== 'parameters')
        .sort(),
    ]);
    const declared = endpoints.map((declaration) => [
      pathOf(declaration),
      allowedMethods(declaration.methods)
        .filter((method) => !['OPTIONS', 'TRACE', 'QUERY'].includes(method))
        .map((method) => method.toLowerCase())
        .sort(),
    ]);
    expect(written).toEqual(declared);
    expect(document.info.description).toContain('Every path also allows OPTIONS');
    expect(document.info.description).toContain('any method also take TRACE');
    expect(document.info.description).toContain('and QUERY (RFC 10008)');
  });

  test('operation ids are unique, and the required ones exist', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(paths['/anything']?.['head']?.operationId).toBe('anything_handler');
    expect(paths['/anything/{path}']?.['head']?.operationId).toBe('anything_path_handler');
    expect(paths['/anything']?.['get']?.operationId).toBe('anything_handler_by_get');
    expect(paths['/bytes/{n}']?.['get']?.operationId).toBe('bytes');
    expect(paths['/bytes/{n}']?.['head']?.operationId).toBe('bytes_by_head');
  });

  test('every operation has a default response and declared tags', () => {
    const tags = new Set(document.tags.map(({ name }) => name));
    for (const item of Object.values(document.paths)) {
      for (const [method, { responses }] of Object.entries(item)) {
        if (responses === undefined) continue;
        const name = method === 'head' ? 'Head' : 'Problem';
        expect(responses).toMatchObject({ default: { $ref: `#/components/responses/${name}` } });
      }
    }
    for (const { tags: used } of operations) {
      expect(used.filter((tag) => !tags.has(tag))).toEqual([]);
    }
  });

  test.each(['Echo', 'Cookies', 'Metrics', 'Statistics', 'Problem'])(
    'names the schema %s',
    (name) => {
      expect(document.components.schemas[name]).toMatchObject({ type: 'object' });
    },
  );

  test('RFC 9457: has all problem types', () => {
    const type = document.components.schemas['Problem']?.properties['type'];
    expect(type).toMatchObject({
      enum: expect.arrayContaining(['/problems/not-found']) as unknown,
    });
  });
});

describe('responses', () => {
  test.each([
    '/base64/{text}',
    '/base64/decode/{text}',
    '/base64/encode/{text}',
    '/response-headers',
  ])('%s can have any media type', (path) => {
    expect(paths[path]?.['get']?.responses['200']?.['content']).toHaveProperty(['*/*']);
  });

  test.each(['/status/{code}', '/drip'])('%s has no content with 204, 205 and 304', (path) => {
    const { responses = {} } = paths[path]?.['get'] ?? {};
    for (const status of [204, 205, 304]) {
      expect(responses[status]).toBeDefined();
      expect(responses[status]).not.toHaveProperty('content');
    }
    expect(responses['2XX']).toHaveProperty('content');
  });
});

describe('the operations of a declaration', () => {
  const rest = { group: 'content', summary: 'It.', handle: () => empty(204) } as const;
  const written = read([
    endpoint({
      ...rest,
      id: 'one',
      methods: ['GET', 'PUT'],
      path: '/one/{n}',
      params: { n: described('How many.', int({ min: 1, max: 9 })) },
      query: { word: optional(anyText('A word.'), 'a'), must: anyText('It.') },
      additionalQuery: 'Anything.',
      content: true,
      responses: {
        200: {
          description: 'Done.',
          content: ['application/json', 'text/plain', 'image/png'],
          fields: { ETag: 'Its validator.' },
          schema: objectSchema('One', { name: TEXT }),
        },
        304: { description: 'Not changed.' },
      },
    }),
    endpoint({
      ...rest,
      id: 'all',
      methods: 'any',
      path: '/all/*path',
      params: { path: anyText() },
      responses: { 204: { description: 'Nothing.' } },
    }),
  ]);
  const sample = operationsOf(written);
  const get = sample['/one/{n}']?.['get'];

  test('have parameters with schemas', () => {
    expect(get?.parameters).toEqual([
      {
        name: 'n',
        in: 'path',
        required: true,
        description: 'How many.',
        schema: {
          type: 'integer',
          format: 'int32',
          pattern: String.raw`^\d`,
          minimum: 1,
          maximum: 9,
        },
        example: 5,
      },
      {
        name: 'word',
        in: 'query',
        description: 'A word.',
        schema: { type: 'string', default: 'a' },
      },
      {
        name: 'must',
        in: 'query',
        required: true,
        description: 'It.',
        schema: { type: 'string' },
        example: 'example',
      },
      expect.objectContaining({
        in: 'query',
        description: 'Anything.',
      }),
    ]);
  });

  test('have an optional request body of any type, if declared and not GET or HEAD', () => {
    const put = sample['/one/{n}']?.['put'];
    expect(put?.requestBody).not.toHaveProperty('required');
    expect(Object.keys(put?.requestBody?.content ?? {})).toContain('application/octet-stream');
    expect(get).not.toHaveProperty('requestBody');
    expect(sample['/one/{n}']?.['head']).not.toHaveProperty('requestBody');
    expect(sample['/all/{path}']?.['post']).not.toHaveProperty('requestBody');
  });

  test('have the declared responses; `default` has what any endpoint can answer', () => {
    expect(Object.keys(get?.responses ?? {})).toEqual(['200', '304', 'default']);
    expect(get?.responses['200']).toEqual({
      description: 'Done.',
      headers: { ETag: { description: 'Its validator.', schema: { type: 'string' } } },
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/One' } },
        'text/plain': { schema: { type: 'string' } },
        'image/png': { schema: {} },
      },
    });
    // A wildcard accepts any value.
    const wild = sample['/all/{path}']?.['get']?.responses ?? {};
    expect(Object.keys(wild)).toEqual(['204', 'default']);
  });

  test('refer to GET for HEAD, whose responses have no content (RFC 9110 9.3.2)', () => {
    const all = { description: 'As GET: its statuses and fields, without content.' };
    expect(sample['/one/{n}']?.['head']?.responses).toEqual({ 200: all, default: all });
  });

  test('declare a flag once, as a schema with a name', () => {
    const { components, paths: flagged } = read([
      endpoint({
        ...rest,
        path: '/flagged',
        query: { a: flag, b: described('It.', flag) },
        responses: { 204: { description: 'Nothing.' } },
      }),
    ]);
    const schema = { $ref: '#/components/schemas/Flag' };
    expect(flagged['/flagged']?.['parameters']).toMatchObject([{ schema }, { schema }]);
    expect(components.schemas['Flag']).toMatchObject({ default: false });
  });

  test('require the credentials of the declared scheme', () => {
    const guarded = read([
      endpoint({
        ...rest,
        path: '/guarded',
        authentication: 'digest',
        responses: { 204: { description: 'Nothing.' } },
      }),
    ]);
    expect(guarded.paths['/guarded']?.['get']).toMatchObject({ security: [{ digest: [] }] });
    expect(guarded.components).toMatchObject({
      securitySchemes: { digest: { type: 'http', scheme: 'digest' } },
    });
    expect(get).not.toHaveProperty('security');
  });
});

test('two different schemas cannot have one title', () => {
  const schemas = new Schemas();
  expect(schemas.use(objectSchema('A', {}))).toEqual({ $ref: '#/components/schemas/A' });
  expect(schemas.use(objectSchema('A', {}))).toEqual({ $ref: '#/components/schemas/A' });
  expect(() => schemas.use(objectSchema('A', { b: TEXT }))).toThrow(
    'two different schemas have the title A',
  );
});
