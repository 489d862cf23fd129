import { endpoint, jsonResponse } from '../server/endpoint.ts';
import { json } from '../server/reply.ts';
import { arrayOf, enumOf, nullable, objectSchema, TEXT } from '../server/schema.ts';
import { http1Details } from '../echo/http1.ts';

export const http1 = endpoint({
  path: '/http1',
  group: 'echo',
  summary: 'How an HTTP/1.1 request was written: order and case of field names, raw bytes.',
  responses: {
    200: jsonResponse(
      'The details; `http1` is null on HTTP/2.',
      objectSchema(
        'Http1Story',
        {
          http1: nullable(
            objectSchema(
              'Http1',
              {
                version: enumOf('HTTP/1.0', 'HTTP/1.1'),
                field_names: arrayOf(TEXT),
                raw_head: {
                  ...nullable(TEXT),
                  description: 'Request line and field lines in base64.',
                },
                reason: { ...TEXT, description: 'Why `raw_head` is null.' },
              },
              ['reason'],
            ),
          ),
          reason: TEXT,
        },
        ['reason'],
      ),
    ),
  },
  handle: ({ request }) => json(http1Details(request)),
});
