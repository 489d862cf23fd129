import { endpoint } from '../http/endpoint.ts';
import { json } from '../http/reply.ts';
import { objectSchema, TEXT } from '../http/schema.ts';
import { VERSION } from '../kit/version.ts';

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
