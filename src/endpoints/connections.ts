import { endpoint, type Endpoint } from '../http/endpoint.ts';
import { json } from '../http/reply.ts';
import { connectionsSchema, connectionsView } from '../views/connections.ts';
import type { LedgerSource } from '../views/ledger.ts';

/** Exists only where the tap is on. The request for it is on one of the connections, and counted. */
export function connectionsEndpoint(ledger: LedgerSource): Endpoint {
  return endpoint({
    id: 'connections',
    methods: ['GET'],
    path: '/connections',
    group: 'operations',
    summary: 'Whether connections are opened anew, reused or shared by concurrent requests.',
    params: {},
    setting: '--tap',
    responses: {
      200: {
        description: 'Connections since the start, by transport, and the open ones.',
        content: ['application/json'],
        schema: connectionsSchema,
      },
    },
    handle: async () => json(connectionsView(await ledger.entries())),
  });
}
