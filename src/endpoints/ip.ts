import { endpoint } from '../http/endpoint.ts';
import { json } from '../http/reply.ts';
import { objectSchema, TEXT } from '../http/schema.ts';

export const ip = endpoint({
  id: 'ip',
  methods: ['GET'],
  path: '/ip',
  group: 'echo',
  summary: "The peer's address, whatever a proxy's fields say.",
  params: {},
  responses: {
    200: {
      description: 'The address.',
      content: ['application/json'],
      schema: objectSchema('Origin', { origin: TEXT }),
    },
  },
  handle: ({ request }) => json({ origin: request.connection.remoteAddress }),
});
