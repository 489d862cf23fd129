import { endpoint, jsonResponse, type Endpoint } from '../server/endpoint.ts';
import { json } from '../server/reply.ts';
import { mapSchema, objectSchema, TEXT } from '../server/schema.ts';

/** @param environment variables to show, filtered by --env-prefix */
export function env(environment: Readonly<Record<string, string>>): Endpoint {
  const response = json({ env: environment });
  return endpoint({
    path: '/env',
    group: 'operations',
    summary: 'The environment variables whose names start with `--env-prefix`.',
    setting: '--env-prefix',
    responses: {
      200: jsonResponse(
        'The variables by name, as they were when the service started.',
        objectSchema('Environment', { env: mapSchema(TEXT) }),
      ),
    },
    handle: () => response,
  });
}
