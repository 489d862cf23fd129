import { endpoint, jsonResponse, type Endpoint } from '../server/endpoint.ts';
import { json } from '../server/reply.ts';
import { enumOf, objectSchema, TEXT } from '../server/schema.ts';
import { VERSION } from '../version.ts';

/** The response of `/version`. */
export const versionSchema = objectSchema(
  'Version',
  {
    name: enumOf('wirebin'),
    version: TEXT,
    instance: { ...TEXT, description: 'The name of this instance, if it has one.' },
    process: { ...TEXT, description: 'New with every start.' },
  },
  ['instance'],
);

export function version(instance: string | undefined, process: string): Endpoint {
  const response = json({ name: 'wirebin', version: VERSION, instance, process });
  return endpoint({
    path: '/version',
    group: 'operations',
    summary: 'The name and the version of the service.',
    responses: { 200: jsonResponse('Name and version.', versionSchema) },
    handle: () => response,
  });
}
