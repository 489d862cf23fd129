import { describe, expect, test } from 'vitest';
import { allEndpoints, completeState } from '../../src/endpoints/all.ts';
import { checkFields } from '../../src/endpoints/response-headers.ts';
import { setCookie } from '../../src/http/cookies.ts';
import type { Parameter } from '../../src/server/params.ts';
import type { JsonSchema } from '../../src/server/schema.ts';
import { Problem } from '../../src/http/problem.ts';
import { openApiDocument } from '../../src/pages/openapi.ts';
import { operationsOf } from '../_openapi.ts';

const endpoints = allEndpoints(completeState);

const document = JSON.parse(
  JSON.stringify(openApiDocument(endpoints, { connHeaders: false, lean: false })),
) as { components: { schemas: Record<string, JsonSchema> } };

const operations = operationsOf(document);

function isRejected(read: () => unknown): boolean {
  try {
    read();
    return false;
  } catch (error) {
    if (error instanceof Problem && error.status === 400) return true;
    throw error;
  }
}

/** Whether the value of a text is valid by the schema. */
function isValidBySchema(schema: JsonSchema, text: string): boolean {
  const { anyOf, type, enum: words, minimum = -Infinity, maximum = Infinity, not } = schema;
  if (type === undefined && words) return words.includes(text);
  const isAny = anyOf?.some((choice) => isValidBySchema(choice, text)) ?? true;
  if (!isAny || (anyOf && type === undefined)) return isAny;
  if (type === 'boolean') return text === 'true' || text === 'false';
  if (type === 'string') {
    const { pattern = '', maxLength = Infinity } = schema;
    // JSON Schema 2020-12, 6.4.
    const matches = new RegExp(pattern, 'u').test(text);
    return matches && text.length <= maxLength && (words?.includes(text) ?? true);
  }
  const value = text === '' ? Number.NaN : Number(text);
  const { exclusiveMinimum = Infinity, exclusiveMaximum = -Infinity } = not ?? {};
  if (value > exclusiveMinimum && value < exclusiveMaximum) return false;
  return value >= minimum && value <= maximum;
}

function parameterOf(path: string, name: string): Parameter<unknown> {
  const found = endpoints.find((one) => one.path === path);
  const parameter = found?.params[name] ?? found?.query[name];
  if (parameter === undefined) throw new Error(`${path} has no ${name}`);
  return parameter;
}

const NUMBERS = {
  good: ['0', '0.0', '0.0001', '0.25', '1', '1.0'],
  bad: ['', 'x', '-1', '1e-10', '5e-324', '6.103515625e-05', '99999999999'],
};
const BASE64 = {
  good: ['AA', 'AA==', 'AAA', 'AAA=', 'AAAA', '-_8', '+/8=', 'AAAA_w', 'A'.repeat(4096)],
  bad: ['', '0', 'A', 'AA=', 'AAA==', '====', 'AAAA=', '-+AA', 'AA\n', 'é', 'A'.repeat(4100)],
};
const COOKIE_TEXT = {
  good: ['', 'a', 'a b', '"', ',', '\\', 'é€𝄞', '='],
  bad: [';', 'a;b', '\t', '\n', '\0', '\u007f', 'a\r\nX:y'],
};
const USERS = { good: ['', 'a', 'é', '\n'], bad: [':', 'a:', 'a:b'] };

describe.each<[path: string, name: string, texts: { good: string[]; bad: string[] }]>([
  [
    '/status/{code}',
    'code',
    {
      good: [
        '200',
        '0599',
        '200,503',
        '200:3,503:1',
        '200:0,503',
        '200:0.0,404:0.5,500:00',
        '418:1',
      ],
      bad: [
        '|0|199|600|1000|200,|,200|200:|200:1e3|200:-1|200:1:1|200:.5|200:5.|200:0',
        '200:0,503:0.0|200\n|200;503|٢٠٠|200,600',
      ].flatMap((texts) => texts.split('|')),
    },
  ],
  ['/base64/{text}', 'text', BASE64],
  ['/base64/decode/{text}', 'text', BASE64],
  [
    '/base64/{text}',
    'content-type',
    {
      good: ['a/b', 'text/html;charset=utf-8', 'a/b ; c="d;\\"é"', 'a/b;', 'a/b; ;c=d', '*/*'],
      bad: [
        '',
        'a',
        'a/',
        'a/b/c',
        ' a/b',
        'a/b ',
        'a/b; ',
        'a/b;c',
        'a/b,c/d',
        'a/b;c="',
        'a/b;c="€"',
      ],
    },
  ],
  [
    '/etag/{etag}',
    'etag',
    {
      good: ['', 'v1', '"v1"', '""', 'W/"v1"', 'W/v1', 'é', 'x'.repeat(1022)],
      bad: ['"', 'a"b', '"a', 'W/"', 'a b', 'a\t', '\u007f', '"a"b"', 'x'.repeat(1025)],
    },
  ],
  [
    '/digest-auth/{qop}/{user}/{passwd}/{algorithm}/{stale_after}',
    'stale_after',
    { good: ['never', '0', '4294967295'], bad: ['', 'Never', 'x', '-1', '4294967296'] },
  ],
  ['/basic-auth/{user}/{passwd}', 'user', USERS],
  ['/hidden-basic-auth/{user}/{passwd}', 'user', USERS],
  [
    '/cookies/set/{name}/{value}',
    'name',
    { good: ['a', '__Host-a', "!#$%&'*+.^_`|~"], bad: ['', 'a b', 'a=', 'é', 'a;', '[a]', 'a\n'] },
  ],
  ['/cookies/set/{name}/{value}', 'value', COOKIE_TEXT],
  ['/cookies/set', 'path', COOKIE_TEXT],
  ['/cookies/set', 'domain', COOKIE_TEXT],
  ['/redirect/{n}', 'absolute', { good: ['', '0', '1', 'true', 'FALSE'], bad: ['2', 'yes', ' '] }],
  ['/sse', 'jitter', NUMBERS],
  ['/jsonl', 'duration', NUMBERS],
  ['/drip', 'delay', NUMBERS],
  ['/delay/{n}', 'n', NUMBERS],
  ['/unstable', 'failure_rate', NUMBERS],
  ['/tap', 'duration', NUMBERS],
  ['/tap', 'path', { good: ['', '/a*', 'x'.repeat(128)], bad: ['x'.repeat(129)] }],
])('%s accepts the documented values of %s', (path, name, { good, bad }) => {
  const parameter = parameterOf(path, name);
  test.each(good)('%.30j', (text) => {
    expect(isRejected(() => parameter.parse(text, name))).toBe(false);
    expect(isValidBySchema(parameter.schema, text)).toBe(true);
  });
  test.each(bad)('rejects %.30j', (text) => {
    expect(isRejected(() => parameter.parse(text, name))).toBe(true);
    expect(isValidBySchema(parameter.schema, text)).toBe(false);
  });
});

/** The parameter that declares arbitrary names. */
function additionalQueryOf(path: string, method: string) {
  return operations[path]?.[method]?.parameters.find(({ name }) => name === 'any');
}

test('every parameter is described', () => {
  for (const [path, item] of Object.entries(operations)) {
    for (const { parameters } of Object.values(item)) {
      const bare = parameters.filter(({ description }) => !description?.endsWith('.'));
      expect([path, bare]).toEqual([path, []]);
    }
  }
});

/** Names and values of fields and cookies, some of which are valid. */
const odd = ['', 'a', 'X-A', 'a b', ' a', 'a ', '\t', 'a\tb', ';', ':a', 'é', '\n', '\u007f', 'te'];
const others = ['Connection', 'HTTP2-Settings', 'tRaIlEr', 'Content-Length', 'content-type', 'tea'];

describe('additional query parameters', () => {
  test.each([
    ['/cookies/delete', 'get', true],
    ['/cookies', 'delete', true],
    ['/cookies/set', 'get', false],
    ['/anything', 'get', false],
  ])('%s with %s: required: %s', (path, method, required) => {
    const parameter = additionalQueryOf(path, method);
    expect(parameter?.required ?? false).toBe(required);
    expect(parameter?.schema.minProperties).toBe(required ? 1 : undefined);
  });

  test('are not declared for methods that do not use them', () => {
    expect(additionalQueryOf('/cookies', 'get')).toBeUndefined();
    expect(additionalQueryOf('/cookies', 'head')).toBeUndefined();
  });

  test('have no schema if any value is valid', () => {
    expect(additionalQueryOf('/gzip', 'get')?.schema).toEqual({ type: 'object' });
  });

  test('exclude declared parameters, which would otherwise be matched twice', () => {
    const not = additionalQueryOf('/cookies/set', 'get')?.schema.propertyNames?.not;
    expect(not?.enum).toEqual(['path', 'domain', 'max_age', 'samesite', 'secure', 'httponly']);
  });

  test.each([...odd, ...others])(
    '%j: the schema and the endpoint agree on field names and values',
    (text) => {
      const { propertyNames, additionalProperties } =
        additionalQueryOf('/response-headers', 'get')?.schema ?? {};
      const bytes = Buffer.from(text).toString('latin1');
      const rejectsName = isRejected(() => checkFields([[bytes, '']]));
      expect(matchesSchema(propertyNames, text)).toBe(!rejectsName);
      const rejectsValue = isRejected(() => checkFields([['a', bytes]]));
      expect(matchesSchema(oneOf(additionalProperties), text)).toBe(!rejectsValue);
    },
  );

  test.each(odd)('%j: the schema and the endpoint agree on cookie names and values', (text) => {
    const { propertyNames, additionalProperties } =
      additionalQueryOf('/cookies/set', 'get')?.schema ?? {};
    const rejectsName = isRejected(() => setCookie(text, '', {}));
    expect(matchesSchema(propertyNames, text)).toBe(!rejectsName);
    const rejectsValue = isRejected(() => setCookie('a', text, {}));
    expect(matchesSchema(oneOf(additionalProperties), text)).toBe(!rejectsValue);
  });

  test('exclude fields that are not allowed in trailers', () => {
    const { propertyNames } = additionalQueryOf('/trailers', 'get')?.schema ?? {};
    expect(matchesSchema(propertyNames, 'Content-Type')).toBe(false);
    expect(matchesSchema(propertyNames, 'Content-Types')).toBe(true);
    expect(matchesSchema(propertyNames, 'Connection')).toBe(false);
  });

  test('exclude fields of framing, and declared parameters', () => {
    const { propertyNames } = additionalQueryOf('/informational/{codes}', 'get')?.schema ?? {};
    for (const name of ['count', 'interval', 'Connection', 'a b']) {
      expect([name, matchesSchema(propertyNames, name)]).toEqual([name, false]);
    }
    expect(matchesSchema(propertyNames, 'Link')).toBe(true);
  });
});

/** The first alternative: a single string. */
function oneOf(schema: Referable | false | undefined): Referable | undefined {
  return schema ? resolved(schema).oneOf?.[0] : undefined;
}

type Referable = JsonSchema & { readonly $ref?: string };

function resolved(schema: Referable): JsonSchema {
  const [name = ''] = schema.$ref?.split('/').slice(-1) ?? [];
  return document.components.schemas[name] ?? schema;
}

function matchesSchema(schema: JsonSchema = {}, text: string): boolean {
  const { pattern, not, allOf = [] } = resolved(schema);
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(text)) return false;
  if (not?.enum?.includes(text) === true) return false;
  if (not?.pattern !== undefined && new RegExp(not.pattern, 'u').test(text)) return false;
  return allOf.every((part) => matchesSchema(part, text));
}
