import { endpoint, problemResponse, queryOf } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { textPayload, withTrailers } from '../server/payload.ts';
import type { QueryPairs } from '../http/query.ts';
import { reply, type Reply } from '../server/reply.ts';
import { Problem } from '../http/problem.ts';
import { echoDeclaration, wholeEcho } from '../echo/echo.ts';
import { checkFields, fieldsSchema } from './response-headers.ts';

/** Fields that are needed before the content, so that they cannot be trailers (RFC 9110 6.5.1). */
const FORBIDDEN = new Set([
  'authorization',
  'cache-control',
  'content-encoding',
  'content-range',
  'content-type',
  'host',
  'max-forwards',
  'set-cookie',
]);

/** Checks that all pairs can be sent as trailer fields on HTTP/1.1 and HTTP/2. @throws Problem */
export function checkTrailers(pairs: QueryPairs): void {
  checkFields(pairs);
  const name = pairs.map(([field]) => field).find((field) => FORBIDDEN.has(field.toLowerCase()));
  if (name === undefined) return;
  throw new Problem('invalid-parameter', `${name} cannot be a trailer field (RFC 9110 6.5.1)`);
}

/**
 * A response with the query's parameters as trailer fields.
 *
 * @throws Problem if a parameter cannot be a trailer field
 */
export function replyWithTrailers(
  request: Request,
  type: string,
  content: string | Uint8Array,
): Reply {
  const pairs = queryOf(request, 'latin1');
  checkTrailers(pairs);
  const fields = trailerField(pairs);
  const whole = typeof content === 'string' ? textPayload(content) : content;
  return reply(type, withTrailers(whole, pairs.flat()), { fields });
}

/** The Trailer field, which names the trailer fields (RFC 9110 6.6.2), if there are any. */
export function trailerField(pairs: QueryPairs): readonly string[] {
  const names = new Set(pairs.map(([name]) => name));
  return names.size > 0 ? ['Trailer', [...names].join(', ')] : [];
}

export const trailers = endpoint({
  ...echoDeclaration,
  methods: 'any',
  path: '/trailers',
  group: 'fields',
  summary: 'The echo, followed by the query parameters as trailer fields (RFC 9110 6.5).',
  additionalQuery: {
    description:
      'Names and values of trailer fields, sent as percent-decoded bytes; they may repeat. Not sent ' +
      'to HTTP/1.0 clients.',
    schema: fieldsSchema(FORBIDDEN),
  },
  exampleQuery: 'X-Checksum=abc',
  responses: {
    200: {
      ...echoDeclaration.responses[200],
      fields: { Trailer: 'The names of the trailer fields, if any.' },
    },
    400: problemResponse('An invalid field, or one that cannot be a trailer field.'),
  },
  handle: async ({ request, content }) =>
    replyWithTrailers(request, 'application/json', await wholeEcho(request, content)),
});
