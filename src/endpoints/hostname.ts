import { endpoint, jsonResponse, type Endpoint } from '../server/endpoint.ts';
import { json } from '../server/reply.ts';
import { objectSchema, TEXT } from '../server/schema.ts';

export function hostname(name: string): Endpoint {
  const response = json({ hostname: name });
  return endpoint({
    path: '/hostname',
    group: 'operations',
    summary: 'The host name of the machine.',
    setting: '--hostname-enabled',
    responses: {
      200: jsonResponse(
        'The host name that the operating system reports.',
        objectSchema('Hostname', { hostname: TEXT }),
      ),
    },
    handle: () => response,
  });
}
