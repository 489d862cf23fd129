import { endpoint, queryOf } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { textPayload } from '../server/payload.ts';
import type { QueryPairs } from '../http/query.ts';
import { reply, type Reply } from '../server/reply.ts';
import { Problem } from '../http/problem.ts';
import { echoDeclaration, echoText } from '../echo/echo.ts';
import { checkFields, fieldsSchema } from './response-headers.ts';

/** What has to be known before the content is read (RFC 9110 6.5.1). */
const TOO_LATE = new Set([
  'authorization',
  'cache-control',
  'content-encoding',
  'content-range',
  'content-type',
  'host',
  'max-forwards',
  'set-cookie',
]);

/** @throws Problem where not every pair can be a trailer field on every transport */
function checkTrailers(pairs: QueryPairs): void {
  checkFields(pairs);
  const name = pairs.map(([field]) => field).find((field) => TOO_LATE.has(field.toLowerCase()));
  if (name === undefined) return;
  throw new Problem('invalid-parameter', `${name} cannot come behind the content (RFC 9110 6.5.1)`);
}

/**
 * An answer with the query's parameters as trailer fields.
 *
 * @throws Problem where they cannot be
 */
export function trailedReply(request: Request, type: string, content: string): Reply {
  const pairs = queryOf(request, 'latin1');
  checkTrailers(pairs);
  const names = new Set(pairs.map(([name]) => name));
  const fields = names.size > 0 ? ['Trailer', [...names].join(', ')] : [];
  const payload = {
    kind: 'with-trailers',
    content: textPayload(content),
    trailers: pairs.flat(),
  } as const;
  return reply(type, payload, { fields });
}

export const trailers = endpoint({
  ...echoDeclaration,
  id: 'trailers',
  methods: 'any',
  path: '/trailers',
  group: 'fields',
  summary: 'The echo, and every query parameter as a trailer field behind it (RFC 9110 6.5).',
  params: {},
  additionalQuery: {
    description:
      'Names and values of trailer fields, as often as they are to be sent; the percent-decoded ' +
      'bytes go out as they are. HTTP/1.0 has none.',
    schema: fieldsSchema(TOO_LATE),
  },
  exampleQuery: 'X-Checksum=abc',
  responses: {
    200: {
      ...echoDeclaration.responses[200],
      fields: { Trailer: 'The names, where there are any.' },
    },
    400: {
      description: 'A field that cannot be a trailer field, or no field at all.',
      content: ['application/problem+json'],
    },
  },
  handle: ({ request, content }) =>
    trailedReply(request, 'application/json', echoText(request, content)),
});
