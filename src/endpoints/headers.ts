import { endpoint } from '../server/endpoint.ts';
import { combinedFields } from '../http/fields.ts';
import { json } from '../server/reply.ts';
import { mapSchema, objectSchema, TEXT } from '../server/schema.ts';

export const headers = endpoint({
  id: 'headers',
  methods: ['GET'],
  path: '/headers',
  group: 'echo',
  summary: 'All request headers by lower-case name.',
  params: {},
  responses: {
    200: {
      description: 'Field lines with the same name are joined, as in the echo.',
      content: ['application/json'],
      schema: objectSchema('Headers', { headers: mapSchema(TEXT) }),
    },
  },
  handle: ({ request }) => json({ headers: combinedFields(request.fields) }),
});
