import { endpoint, queryOf } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { fieldSize, isFieldValue, isToken, MAX_ASKED_FIELDS, TOKEN } from '../http/fields.ts';
import { invalidParameter, Problem } from '../http/problem.ts';
import { grouped, type QueryPairs } from '../http/query.ts';
import { prettyJson, type Reply } from '../server/reply.ts';
import { nosniffFor, nosniffDoc, escapeMarkupInJson } from '../server/safety.ts';
import { mapSchema, stringOrStrings, type JsonSchema } from '../server/schema.ts';

/** Fields that frame the message or belong to the connection (RFC 9110 7.6.1, 8.6, 6.6.2). */
export const FRAMING = new Set([
  'connection',
  'content-length',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Fields with a single value, which `node:http2` refuses to send twice. So they are refused on
 * HTTP/1.1 too: the same request gets the same answer on every transport.
 */
const SINGLE = new Set([
  'access-control-allow-credentials',
  'access-control-max-age',
  'access-control-request-method',
  'age',
  'authorization',
  'content-encoding',
  'content-language',
  'content-location',
  'content-md5',
  'content-range',
  'content-type',
  'date',
  'dnt',
  'etag',
  'expires',
  'from',
  'host',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'last-modified',
  'location',
  'max-forwards',
  'proxy-authorization',
  'range',
  'referer',
  'retry-after',
  'tk',
  'upgrade-insecure-requests',
  'user-agent',
  'x-content-type-options',
]);

/** What a value begins and ends with: white space there is no part of it (RFC 9110 5.5). */
const VISIBLE = String.raw`[^\x00-\x20\x7f]`;

/** Of a query whose names and values are to be fields. @param refused more names, in lower case */
export function fieldsSchema(refused: Iterable<string> = []): JsonSchema {
  const names = [...FRAMING, ...refused].map((name) =>
    name.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`),
  );
  const value = { type: 'string', pattern: `^(?:${VISIBLE}(?:[\\t ]*${VISIBLE})*)?$` };
  return {
    ...mapSchema(stringOrStrings(value)),
    propertyNames: { pattern: TOKEN.source, not: { pattern: `^(?:${names.join('|')})$` } },
  };
}

/** @throws Problem where not every pair can be a field of an answer on every transport */
export function checkFields(pairs: QueryPairs): void {
  const seen = new Set<string>();
  let bytes = 0;
  for (const [name, value] of pairs) {
    const field = name.toLowerCase();
    if (FRAMING.has(field) || field.startsWith(':')) {
      const reason = 'cannot be set: it frames the message or belongs to the connection';
      throw new Problem('invalid-parameter', `${name} ${reason}`);
    }
    if (!isToken(name)) {
      throw new Problem('invalid-parameter', `${textOf(name) || 'an empty text'} is no field name`);
    }
    // White space at either end is no part of a value (RFC 9110 5.5); HTTP/2 forbids it.
    if (!isFieldValue(value) || /^[ \t]|[ \t]$/.test(value)) {
      throw invalidParameter(name, textOf(value), 'is no field value');
    }
    if (seen.has(field) && SINGLE.has(field)) {
      throw new Problem('invalid-parameter', `${name} is given more than once: it has one value`);
    }
    seen.add(field);
    bytes += fieldSize(name, value);
  }
  if (bytes > MAX_ASKED_FIELDS) {
    const size = `${bytes} bytes, counted as HTTP/2 does`;
    const bound = `exceed the maximum of ${MAX_ASKED_FIELDS}`;
    throw new Problem('invalid-parameter', `the fields have ${size}, and ${bound}`);
  }
}

function textOf(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

function answer(request: Request): Reply {
  const pairs = queryOf(request, 'latin1');
  checkFields(pairs);
  const fields = pairs.flat();
  const ownType = pairs.some(([name]) => name.toLowerCase() === 'content-type');
  if (!ownType) fields.push('Content-Type', 'application/json');
  fields.push(...nosniffFor(pairs));
  const body = prettyJson(grouped(pairs.map(([name, value]) => [name, textOf(value)])));
  // As bytes: node:http writes a string and the header section as one, both in the string's UTF-8.
  const payload = Buffer.from(ownType ? escapeMarkupInJson(body) : body);
  return { status: 200, fields, payload, replacesDefaults: true };
}

export const responseHeaders = endpoint({
  id: 'response_headers',
  methods: ['GET', 'POST'],
  path: '/response-headers',
  group: 'fields',
  summary: 'Sends every query parameter as a response field, and all of them as JSON.',
  params: {},
  additionalQuery: {
    description:
      'Field names and values, as often as they are to be sent; the percent-decoded bytes go out as ' +
      'they are. They replace what would be sent otherwise, `content-type` too; the JSON then has ' +
      'escapes for `<`, `>` and `&`, so that no browser finds markup in it.',
    schema: fieldsSchema(),
  },
  exampleQuery: 'X-Hello=there',
  responses: {
    200: {
      description: 'The fields, by name.',
      content: ['application/json', '*/*'],
      schema: mapSchema(stringOrStrings()),
      fields: nosniffDoc,
    },
    400: {
      description:
        'A field that frames the message, one given too often, a bad name or value, more than 32 KiB.',
      content: ['application/problem+json'],
    },
  },
  handle: ({ request }) => answer(request),
});
