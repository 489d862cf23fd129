import { endpoint } from '../server/endpoint.ts';
import { json } from '../server/reply.ts';
import { objectSchema, TEXT } from '../server/schema.ts';
import { clientAddress } from '../echo/echo.ts';

export const ip = endpoint({
  id: 'ip',
  methods: ['GET'],
  path: '/ip',
  group: 'echo',
  summary: "The client's address: that of the peer, or of the client behind a trusted proxy.",
  params: {},
  responses: {
    200: {
      description: 'The address.',
      content: ['application/json'],
      schema: objectSchema('Origin', { origin: TEXT }),
    },
  },
  handle: ({ request }) => json({ origin: clientAddress(request) }),
});
