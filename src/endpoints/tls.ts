import { endpoint, jsonResponse } from '../server/endpoint.ts';
import { json } from '../server/reply.ts';
import { tlsDetails } from '../echo/tls.ts';
import { tlsDetailsSchema } from '../echo/tls-schema.ts';

export const tls = endpoint({
  path: '/tls',
  group: 'echo',
  summary: 'The TLS ClientHello, the negotiated parameters, JA3, JA3N and JA4.',
  curl: 'curl -sSk https://localhost:8080/tls',
  responses: {
    200: jsonResponse('The details; `tls` is null on a cleartext connection.', tlsDetailsSchema),
  },
  handle: ({ request }) => json(tlsDetails(request.connection)),
});
