import { randomUUID } from 'node:crypto';
import { endpoint } from '../server/endpoint.ts';
import { json } from '../server/reply.ts';
import { objectSchema } from '../server/schema.ts';

export const uuid = endpoint({
  id: 'uuid',
  methods: ['GET'],
  path: '/uuid',
  group: 'content',
  summary: 'A random UUID, version 4 (RFC 9562).',
  params: {},
  responses: {
    200: {
      description: 'The UUID.',
      content: ['application/json'],
      schema: objectSchema('Uuid', { uuid: { type: 'string', format: 'uuid' } }),
    },
  },
  handle: () => json({ uuid: randomUUID() }),
});
