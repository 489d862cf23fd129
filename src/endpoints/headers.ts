import { endpoint, jsonResponse } from '../server/endpoint.ts';
import { combinedFields } from '../http/fields.ts';
import { json } from '../server/reply.ts';
import { mapSchema, objectSchema, TEXT } from '../server/schema.ts';

export const headers = endpoint({
  path: '/headers',
  group: 'echo',
  summary: 'All request headers by lower-case name.',
  responses: {
    200: jsonResponse(
      'Field lines with the same name are joined, as in the echo.',
      objectSchema('Headers', { headers: mapSchema(TEXT) }),
    ),
  },
  handle: ({ request }) => json({ headers: combinedFields(request.fields) }),
});
