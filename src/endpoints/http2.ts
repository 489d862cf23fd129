import { endpoint, jsonResponse } from '../server/endpoint.ts';
import { json } from '../server/reply.ts';
import { http2DetailsSchema } from '../echo/http2-schema.ts';
import { http2Details } from '../echo/http2.ts';

export const http2 = endpoint({
  path: '/http2',
  group: 'echo',
  summary: "The client's first HTTP/2 frames, Akamai fingerprint, stream and flow-control windows.",
  curl: 'curl -sS --http2-prior-knowledge localhost:8080/http2',
  responses: {
    200: jsonResponse('The details; `http2` is null on HTTP/1.x.', http2DetailsSchema),
  },
  handle: ({ request }) => json(http2Details(request)),
});
