import { endpoint, jsonResponse } from '../server/endpoint.ts';
import { json } from '../server/reply.ts';
import { objectSchema, TEXT } from '../server/schema.ts';
import { clientAddress } from '../server/forwarding.ts';

export const ip = endpoint({
  path: '/ip',
  group: 'echo',
  summary: "The client's address: that of the peer, or of the client behind a trusted proxy.",
  responses: {
    200: jsonResponse('The address.', objectSchema('Origin', { origin: TEXT })),
  },
  handle: ({ request }) => json({ origin: clientAddress(request) }),
});
