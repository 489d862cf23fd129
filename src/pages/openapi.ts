import type { Endpoint } from '../server/endpoint.ts';
import { allowedMethods } from '../server/methods.ts';
import { TEXT } from '../server/schema.ts';
import { API_VERSION } from '../version.ts';
import { groupNames, groups } from './groups.ts';
import { Components } from './openapi-components.ts';
import { operation, sharedParameters } from './openapi-operation.ts';
import type { Json } from './openapi-schemas.ts';

const DESCRIPTION = `An HTTP test service: it echoes what really arrived and answers what you ask for.

The version above is that of this description. That of the program is what /version says.

Every request can also meet what no endpoint has a say in: 400 for a message, target, Host or content that is not valid, 404, 405, 408, 413, 414, 417, 431, 500, 501, 503 and 505. These are the \`default\` response of each operation, in the problem format of RFC 9457.

Operation ids: the bare id belongs to an endpoint's first method, and to HEAD where any method is taken; the other methods add their name (\`bytes\`, \`bytes_by_head\`; \`anything_handler\`, \`anything_handler_by_get\`). Endpoints that take any method say with GET what they do. On HTTP/2 that is every token; on HTTP/1.1 a method that Node's parser does not know is answered with 501.`;

const commonFields: Readonly<Record<string, Json>> = {
  'X-Request-Id': {
    description: "The request's own where it is 1 to 128 visible ASCII characters, else a UUID.",
    schema: { type: 'string', minLength: 1, maxLength: 128 },
  },
  'X-Response-Time': {
    description: 'From the end of the header section to the start of the answer.',
    schema: { type: 'string', pattern: String.raw`^\d+\.\d{3}ms$` },
  },
};

const connFields: Readonly<Record<string, Json>> = {
  'X-Conn-Id': { description: 'The connection.', schema: TEXT },
  'X-Conn-Request': {
    description: 'Which of its requests this is, from 1.',
    schema: { type: 'string', pattern: String.raw`^[1-9]\d*$` },
  },
};

/**
 * The OpenAPI 3.1 document of the endpoints.
 *
 * @param connHeaders whether responses name their connection
 */
export function openApiDocument(endpoints: readonly Endpoint[], connHeaders: boolean): Json {
  const components = new Components({ ...commonFields, ...(connHeaders && connFields) });
  const paths = endpoints.map(
    (endpoint) => [pathOf(endpoint), pathItem(endpoint, components)] as const,
  );
  const used = groupNames.filter((name) => endpoints.some(({ group }) => group === name));
  return {
    openapi: '3.1.0',
    info: { title: 'wirebin', version: API_VERSION, description: DESCRIPTION },
    servers: [{ url: '/' }],
    tags: used.map((name) => ({ name, description: groups[name].description })),
    paths: Object.fromEntries(paths),
    components,
  };
}

/** OpenAPI knows no wildcards: `/anything/*path` becomes `/anything/{path}`. */
export function pathOf({ path }: Endpoint): string {
  return path.replace(/\*(\w+)/, '{$1}');
}

function pathItem(endpoint: Endpoint, components: Components): Json {
  const parameters = sharedParameters(endpoint, components);
  const operations = allowedMethods(endpoint.methods).map((method) => [
    method.toLowerCase(),
    operation(endpoint, method, components),
  ]);
  return { ...(parameters.length > 0 && { parameters }), ...Object.fromEntries(operations) };
}
