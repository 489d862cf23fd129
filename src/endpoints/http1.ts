import { endpoint, jsonResponse } from '../server/endpoint.ts';
import { json } from '../server/reply.ts';
import { http1Details, http1DetailsSchema } from '../echo/http1.ts';

export const http1 = endpoint({
  path: '/http1',
  group: 'echo',
  summary: 'How an HTTP/1.1 request was written: order and case of field names, raw bytes.',
  responses: {
    200: jsonResponse('The details; `http1` is null on HTTP/2.', http1DetailsSchema),
  },
  handle: ({ request }) => json(http1Details(request)),
});
