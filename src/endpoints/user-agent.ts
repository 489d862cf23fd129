import { endpoint, jsonResponse } from '../server/endpoint.ts';
import { fieldValue } from '../http/fields.ts';
import { json } from '../server/reply.ts';
import { nullable, objectSchema, TEXT } from '../server/schema.ts';

export const userAgent = endpoint({
  path: '/user-agent',
  group: 'echo',
  summary: 'The User-Agent of the request.',
  responses: {
    200: jsonResponse(
      'The value, or null if the request has no User-Agent.',
      objectSchema('UserAgent', { 'user-agent': nullable(TEXT) }),
    ),
  },
  handle: ({ request }) => json({ 'user-agent': fieldValue(request.fields, 'user-agent') ?? null }),
});
