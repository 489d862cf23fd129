import { endpoint } from '../http/endpoint.ts';
import { json } from '../http/reply.ts';
import { tlsStory } from '../views/tls-story.ts';

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
  handle: ({ request }) => json(tlsStory(request.connection)),
});
