import { endpoint, type Endpoint } from '../server/endpoint.ts';
import { json } from '../server/reply.ts';
import { objectSchema, TEXT } from '../server/schema.ts';

export function hostname(name: string): Endpoint {
  const response = json({ hostname: name });
  return endpoint({
    id: 'hostname',
    methods: ['GET'],
    path: '/hostname',
    group: 'operations',
    summary: 'The host name of the machine.',
    params: {},
    setting: '--hostname-enabled',
    responses: {
      200: {
        description: 'The host name that the operating system reports.',
        content: ['application/json'],
        schema: objectSchema('Hostname', { hostname: TEXT }),
      },
    },
    handle: () => response,
  });
}
