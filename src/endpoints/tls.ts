import { endpoint } from '../server/endpoint.ts';
import { json } from '../server/reply.ts';
import { tlsDetails } from '../echo/tls-details.ts';

export const tls = endpoint({
  id: 'tls',
  methods: ['GET'],
  path: '/tls',
  group: 'echo',
  summary: 'What the TLS ClientHello offered, what came of it, JA3 and JA4.',
  params: {},
  responses: {
    200: {
      description: 'The whole story; `tls` is null on a connection in clear.',
      content: ['application/json'],
    },
  },
  handle: ({ request }) => json(tlsDetails(request.connection)),
});
