import { randomUUID } from 'node:crypto';
import { endpoint, jsonResponse } from '../server/endpoint.ts';
import { json } from '../server/reply.ts';
import { objectSchema } from '../server/schema.ts';

export const uuid = endpoint({
  path: '/uuid',
  group: 'content',
  summary: 'A random UUID, version 4 (RFC 9562).',
  responses: {
    200: jsonResponse(
      'The UUID.',
      objectSchema('Uuid', { uuid: { type: 'string', format: 'uuid' } }),
    ),
  },
  handle: () => json({ uuid: randomUUID() }),
});
