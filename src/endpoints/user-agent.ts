import { endpoint } from '../server/endpoint.ts';
import { fieldValue } from '../http/fields.ts';
import { json } from '../server/reply.ts';
import { nullable, objectSchema, TEXT } from '../server/schema.ts';

export const userAgent = endpoint({
  id: 'user_agent',
  methods: ['GET'],
  path: '/user-agent',
  group: 'echo',
  summary: 'The User-Agent of the request.',
  params: {},
  responses: {
    200: {
      description: 'The value, or null if the request has no User-Agent.',
      content: ['application/json'],
      schema: objectSchema('UserAgent', { 'user-agent': nullable(TEXT) }),
    },
  },
  handle: ({ request }) => json({ 'user-agent': fieldValue(request.fields, 'user-agent') ?? null }),
});
