import { endpoint } from '../http/endpoint.ts';
import { json } from '../http/reply.ts';
import { http2Story } from '../views/http2.ts';
import { http2StorySchema } from '../views/http2-schema.ts';

export const http2 = endpoint({
  id: 'http2',
  methods: ['GET'],
  path: '/http2',
  group: 'echo',
  summary: "The client's first HTTP/2 frames, Akamai's fingerprint, stream and windows.",
  params: {},
  responses: {
    200: {
      description: 'The whole story; `http2` is null on HTTP/1.x.',
      content: ['application/json'],
      schema: http2StorySchema,
    },
  },
  handle: ({ request }) => json(http2Story(request)),
});
