import { endpoint } from '../server/endpoint.ts';
import { json } from '../server/reply.ts';
import { objectSchema, TEXT } from '../server/schema.ts';
import { VERSION } from '../version.ts';

const NAME_AND_VERSION = json({ name: 'wirebin', version: VERSION });

export const version = endpoint({
  id: 'version',
  methods: ['GET'],
  path: '/version',
  group: 'operations',
  summary: 'The name and the version of the service.',
  params: {},
  responses: {
    200: {
      description: 'Name and version.',
      content: ['application/json'],
      schema: objectSchema('Version', { name: TEXT, version: TEXT }),
    },
  },
  handle: () => NAME_AND_VERSION,
});
