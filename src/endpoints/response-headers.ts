import { endpoint, problemResponse, queryOf, type Endpoint } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { fieldSize, MAX_REQUESTED_FIELDS } from '../http/fields.ts';
import { isFieldValue, isToken, TOKEN_PATTERN } from '../http/syntax.ts';
import { invalid, invalidParameter } from '../http/problem.ts';
import { groupByName, type QueryPairs } from '../http/query.ts';
import { prettyJson, type Reply } from '../server/reply.ts';
import { checkRefresh, forbiddenTarget, type RedirectTargets } from './redirect-to.ts';
import { nosniffFor, nosniffDoc, escapeMarkupInJson } from '../server/safety.ts';
import { mapSchema, stringOrStrings, TEXT, type JsonSchema } from '../server/schema.ts';

/** Fields of message framing or of the connection, which a client must not set (RFC 9110 7.6.1, 8.6, 6.6.2). */
export const FRAMING_FIELDS = new Set([
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

/** Single-valued fields. `node:http2` refuses to send them twice, so HTTP/1.1 rejects that as well. */
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

/** Pattern of the first and last character of a value, which has no surrounding whitespace (RFC 9110 5.5). */
const VISIBLE = String.raw`[^\x00-\x20\x7f]`;

const FIELD_VALUE: JsonSchema<string> = {
  type: 'string',
  pattern: `^(?:${VISIBLE}(?:[\\t ]*${VISIBLE})*)?$`,
};

const FIELD_VALUES = { title: 'FieldValues', ...stringOrStrings(FIELD_VALUE) };

const FIELD_NAME: JsonSchema = {
  title: 'FieldName',
  ...TEXT,
  pattern: TOKEN_PATTERN.source,
  not: anyCaseOf(FRAMING_FIELDS),
};

/**
 * Schema of a query whose parameters become fields.
 *
 * @param forbidden further names that are rejected, in lower case
 */
export function fieldsSchema(forbidden?: ReadonlySet<string>): JsonSchema {
  return {
    ...mapSchema(FIELD_VALUES),
    propertyNames: { allOf: [FIELD_NAME], ...(forbidden && { not: anyCaseOf(forbidden) }) },
  };
}

/** Schema of the names in any case. JSON Schema has no flags for patterns. */
function anyCaseOf(names: ReadonlySet<string>): JsonSchema {
  const patterns = [...names].map((name) =>
    name.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`),
  );
  return { pattern: `^(?:${patterns.join('|')})$` };
}

/** Checks that all pairs can be sent as response fields on HTTP/1.1 and HTTP/2. @throws Problem */
export function checkFields(pairs: QueryPairs): void {
  const seen = new Set<string>();
  let bytes = 0;
  for (const [name, value] of pairs) {
    const field = name.toLowerCase();
    if (FRAMING_FIELDS.has(field) || field.startsWith(':')) {
      throw invalid(`${name} cannot be set: it affects message framing or the connection`);
    }
    if (!isToken(name)) {
      throw invalid(`${decode(name) || 'an empty string'} is not a field name`);
    }
    // Surrounding whitespace is not part of a value (RFC 9110 5.5); HTTP/2 forbids it.
    if (!isFieldValue(value) || /^[ \t]|[ \t]$/.test(value)) {
      throw invalidParameter(name, decode(value), 'is not a field value');
    }
    if (seen.has(field) && SINGLE.has(field)) {
      throw invalid(`${name} is given more than once, but has a single value`);
    }
    seen.add(field);
    bytes += fieldSize(name, value);
  }
  if (bytes > MAX_REQUESTED_FIELDS) {
    const size = `${bytes} bytes (RFC 9113 6.5.2)`;
    throw invalid(`the fields have ${size}, the maximum is ${MAX_REQUESTED_FIELDS}`);
  }
}

/** Decodes a string with one character per byte as UTF-8. */
function decode(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

function respond(request: Request, redirects: RedirectTargets): Reply {
  const pairs = queryOf(request, 'latin1');
  checkFields(pairs);
  checkRefresh(pairs, request, redirects);
  const fields = pairs.flat();
  const hasType = pairs.some(([name]) => name.toLowerCase() === 'content-type');
  if (!hasType) fields.push('Content-Type', 'application/json');
  fields.push(...nosniffFor(pairs));
  const body = prettyJson(groupByName(pairs.map(([name, value]) => [name, decode(value)])));
  // A Buffer, because node:http would encode a string and the header section together as UTF-8.
  const payload = Buffer.from(hasType ? escapeMarkupInJson(body) : body);
  return { status: 200, fields, payload, replacesDefaults: true };
}

/** @param redirects where Refresh may lead */
export function responseHeaders(redirects: RedirectTargets): Endpoint {
  return endpoint({
    methods: ['GET', 'POST'],
    path: '/response-headers',
    group: 'fields',
    summary: 'Sends the query parameters as response headers, and as JSON.',
    additionalQuery: {
      description:
        'Names and values of response headers, sent as percent-decoded bytes; they may repeat. They ' +
        'replace default headers. If they include Content-Type, the JSON has escapes for `<`, `>` and ' +
        '`&`, so that it contains no markup.',
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
      400: problemResponse(
        'A framing or connection field, a repeated single-valued field, an invalid name or value, or ' +
          'more than 32 KiB.',
      ),
      ...(redirects !== 'anywhere' && { 403: forbiddenTarget }),
    },
    handle: ({ request }) => respond(request, redirects),
  });
}
