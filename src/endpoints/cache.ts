import { endpoint, jsonResponse, type Endpoint } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { fieldValue } from '../http/fields.ts';
import { described, int64 } from '../server/params.ts';
import { empty, withFields } from '../server/reply.ts';
import { echoSchema } from '../echo/echo-schema.ts';
import { echoReply } from '../echo/echo.ts';

const VALIDATORS = [
  'ETag',
  '"wirebin-cache-v1"',
  'Last-Modified',
  'Mon, 01 Jan 2024 00:00:00 GMT',
] as const;

/** Whether the request is conditional: like httpbin, with any value of either field. */
function isConditional({ fields }: Request): boolean {
  return ['if-none-match', 'if-modified-since'].some(
    (name) => fieldValue(fields, name) !== undefined,
  );
}

const shared = {
  group: 'fields',
  additionalQuery: 'Echoed in `args`.',
  content: true,
} as const;

const validatorFields = { ETag: 'Fixed.', 'Last-Modified': 'Fixed.' };

export const cache: readonly Endpoint[] = [
  endpoint({
    ...shared,
    path: '/cache',
    summary: '304 if the request has If-None-Match or If-Modified-Since, else the echo.',
    responses: {
      200: jsonResponse('The echo.', echoSchema, validatorFields),
      304: { description: 'The request is conditional.', fields: validatorFields },
    },
    handle: ({ request, content }) =>
      isConditional(request)
        ? empty(304, VALIDATORS)
        : withFields(echoReply(request, content), VALIDATORS),
  }),
  endpoint({
    ...shared,
    id: 'cache_age',
    path: '/cache/{n}',
    summary: 'The echo with Cache-Control: public, max-age=n.',
    params: { n: described('Freshness lifetime in seconds.', int64) },
    responses: {
      200: jsonResponse('The echo.', echoSchema, { 'Cache-Control': '`public, max-age=n`' }),
    },
    handle: ({ request, params, content }) =>
      withFields(echoReply(request, content), ['Cache-Control', `public, max-age=${params.n}`]),
  }),
];
