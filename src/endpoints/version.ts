import { endpoint, jsonResponse } from '../server/endpoint.ts';
import { json } from '../server/reply.ts';
import { objectSchema, TEXT } from '../server/schema.ts';
import { VERSION } from '../version.ts';

const NAME_AND_VERSION = json({ name: 'wirebin', version: VERSION });

export const version = endpoint({
  path: '/version',
  group: 'operations',
  summary: 'The name and the version of the service.',
  responses: {
    200: jsonResponse('Name and version.', objectSchema('Version', { name: TEXT, version: TEXT })),
  },
  handle: () => NAME_AND_VERSION,
});
