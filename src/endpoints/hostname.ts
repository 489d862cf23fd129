import { endpoint, type Endpoint } from '../server/endpoint.ts';
import { json } from '../server/reply.ts';
import { objectSchema, TEXT } from '../server/schema.ts';

/** @param name that of the machine */
export function hostname(name: string): Endpoint {
  const answer = json({ hostname: name });
  return endpoint({
    id: 'hostname',
    methods: ['GET'],
    path: '/hostname',
    group: 'operations',
    summary: 'The name of the machine.',
    params: {},
    setting: '--hostname-enabled',
    responses: {
      200: {
        description: 'As the operating system has it.',
        content: ['application/json'],
        schema: objectSchema('Hostname', { hostname: TEXT }),
      },
    },
    handle: () => answer,
  });
}
