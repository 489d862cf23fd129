import { endpoint, type Endpoint } from '../server/endpoint.ts';
import { json } from '../server/reply.ts';
import { connectionsSchema, connectionsView } from '../telemetry/connections.ts';
import type { ConnectionSource } from '../telemetry/connection-statistics.ts';

/** Exists only where the tap is on. The request for it is on one of the connections, and counted. */
export function connectionsEndpoint(ledger: ConnectionSource): Endpoint {
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
