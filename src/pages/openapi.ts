import { allowedMethods, type AllowedMethod, type Endpoint } from '../server/endpoint.ts';
import { TEXT } from '../server/schema.ts';
import { API_VERSION } from '../version.ts';
import { groupNames, groups } from './groups.ts';
import { Components, type Json } from './openapi-components.ts';
import { operation, sharedParameters } from './openapi-operation.ts';

const DESCRIPTION = `An HTTP test service: it shows what really arrived and sends the responses you ask for.

The version above is the version of this API description. See /version for that of the program. The fields of the \`default\` response are those of every response. With --name and --conn-headers, every response also has X-Instance. With --chaos, disturbed responses have X-Chaos.

Every request can also get a response that does not depend on the endpoint: 400 for an invalid message, target, Host, parameter or body, and 404, 405, 408, 413, 414, 417, 431, 500, 501, 503 and 505. These are the \`default\` response of each operation, in the problem format of RFC 9457.

Every path also allows OPTIONS: the response is 204, and its Allow field has the methods of the path.

Endpoints that allow any method also take TRACE, which has no content, and QUERY (RFC 10008), and answer both like POST; for QUERY, preconditions are evaluated as for GET. If such an endpoint reads content, the response to OPTIONS has Accept-Query.

An endpoint that takes content does so with every method it allows, also with GET, HEAD and DELETE, for which OpenAPI advises against a request body. Responses to HEAD have the statuses and fields of those to GET; an operation names the least status.

Operation ids: an endpoint's first method, or HEAD if it allows any method, has the plain id; other methods are appended (\`bytes\`, \`bytes_by_head\`; \`anything_handler\`, \`anything_handler_by_get\`). Endpoints that allow any method have their summary at GET. Any token is a method.`;

const commonFields: Readonly<Record<string, Json>> = {
  'X-Request-Id': {
    description:
      "The request's X-Request-Id if it has 1 to 128 visible ASCII characters, else a UUID.",
    schema: { type: 'string', minLength: 1, maxLength: 128 },
  },
  'X-Response-Time': {
    description: 'Time from the end of the header section to the start of the response.',
    schema: { type: 'string', pattern: String.raw`^\d+\.\d{3}ms$` },
  },
};

const connFields: Readonly<Record<string, Json>> = {
  'X-Conn-Id': { description: 'Id of the connection.', schema: TEXT },
  'X-Conn-Request': {
    description: 'Number of the request on the connection, from 1.',
    schema: { type: 'string', pattern: String.raw`^[1-9]\d*$` },
  },
};

/** Settings that decide on the fields of every response. */
export interface DocumentedFields {
  /** Whether X-Conn-Id and X-Conn-Request are sent. */
  readonly connHeaders: boolean;
  /** Whether X-Request-Id and X-Response-Time are left out. */
  readonly lean: boolean;
  /** The path below which all endpoints are; empty for the root. */
  readonly pathPrefix?: string;
}

/** A base URL of all paths (OpenAPI 3.1, 4.8.5). */
interface Server {
  readonly url: string;
  readonly description: string;
}

interface OpenApiDocument extends Json {
  readonly openapi: string;
  readonly servers: readonly Server[];
}

/** Creates the OpenAPI 3.1 document of the endpoints. Its server is relative, and so the same for all clients. */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  { connHeaders, lean, pathPrefix = '' }: DocumentedFields,
): OpenApiDocument {
  const components = new Components({
    ...(!lean && commonFields),
    ...(connHeaders && connFields),
  });
  const paths = endpoints.map(
    (endpoint) => [pathOf(endpoint), pathItem(endpoint, components)] as const,
  );
  const used = groupNames.filter((name) => endpoints.some(({ group }) => group === name));
  return {
    openapi: '3.1.0',
    info: { title: 'wirebin', version: API_VERSION, description: DESCRIPTION },
    servers: [{ url: pathPrefix || '/', description: 'Relative to the URL of this document.' }],
    tags: used.map((name) => ({ name, description: groups[name].description })),
    paths: Object.fromEntries(paths),
    components,
  };
}

/** OpenAPI has no wildcards: `/anything/*path` becomes `/anything/{path}`. */
export function pathOf({ path }: Endpoint): string {
  return path.replace(/\*(\w+)/, '{$1}');
}

function pathItem(endpoint: Endpoint, components: Components): Json {
  const parameters = sharedParameters(endpoint, components);
  const methods = allowedMethods(endpoint.methods).filter(hasOperation);
  const operations = methods.map((method) => [
    method.toLowerCase(),
    operation(endpoint, method, components),
  ]);
  return { ...(parameters.length > 0 && { parameters }), ...Object.fromEntries(operations) };
}

/**
 * Whether a method has an operation. OPTIONS does the same for all paths, and TRACE the same as POST: they would be a
 * tenth of the document, and its description says what they do. QUERY has no operation before OpenAPI 3.2.
 */
function hasOperation(method: AllowedMethod): boolean {
  return !WITHOUT_OPERATION.has(method);
}

const WITHOUT_OPERATION: ReadonlySet<AllowedMethod> = new Set(['OPTIONS', 'TRACE', 'QUERY']);
