import { endpoint } from '../server/endpoint.ts';
import { json } from '../server/reply.ts';
import { tlsDetails } from '../echo/tls.ts';

export const tls = endpoint({
  path: '/tls',
  group: 'echo',
  summary: 'The TLS ClientHello, the negotiated parameters, JA3 and JA4.',
  responses: {
    200: {
      description: 'The details; `tls` is null on a cleartext connection.',
      content: ['application/json'],
    },
  },
  handle: ({ request }) => json(tlsDetails(request.connection)),
});
