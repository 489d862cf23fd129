import { endpoint, jsonResponse, type Endpoint } from '../server/endpoint.ts';
import { json } from '../server/reply.ts';
import { connectionsSchema, connectionsView } from '../telemetry/connections.ts';
import type { ConnectionSource } from '../telemetry/connection-statistics.ts';

/** Served with --tap only. The connection of the request itself is counted. */
export function connectionsEndpoint(connections: ConnectionSource): Endpoint {
  return endpoint({
    path: '/connections',
    group: 'operations',
    summary: 'Shows whether clients reuse connections and send concurrent requests on them.',
    setting: '--tap',
    responses: {
      200: jsonResponse(
        'Connections since the start, by transport, and those that are open.',
        connectionsSchema,
      ),
    },
    handle: async () => json(connectionsView(await connections.entries())),
  });
}
