import { endpoint, type Endpoint } from '../server/endpoint.ts';
import { json } from '../server/reply.ts';
import { connectionsSchema, connectionsView } from '../telemetry/connections.ts';
import type { ConnectionSource } from '../telemetry/connection-statistics.ts';

/** Served with --tap only. The connection of the request itself is counted. */
export function connectionsEndpoint(connections: ConnectionSource): Endpoint {
  return endpoint({
    id: 'connections',
    methods: ['GET'],
    path: '/connections',
    group: 'operations',
    summary: 'Shows whether clients reuse connections and send concurrent requests on them.',
    params: {},
    setting: '--tap',
    responses: {
      200: {
        description: 'Connections since the start, by transport, and those that are open.',
        content: ['application/json'],
        schema: connectionsSchema,
      },
    },
    handle: async () => json(connectionsView(await connections.entries())),
  });
}
