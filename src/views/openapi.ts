import type { Endpoint } from '../http/endpoint.ts';
import { answeredMethods } from '../http/methods.ts';
import { TEXT } from '../http/schema.ts';
import { API_VERSION } from '../kit/version.ts';
import { groupNames, groups } from './groups.ts';
import { COMMON_FIELDS, operation } from './openapi-operation.ts';
import { Schemas, type Json } from './openapi-schemas.ts';
import { problemSchema } from './problem-page.ts';

const DESCRIPTION = `An HTTP test service: it echoes what really arrived and answers what you ask for.

Every request can also meet what no endpoint has a say in: 400 for a message, target, Host or content that is not valid, 404, 405, 408, 413, 414, 417, 431, 500, 501, 503 and 505. These are the \`default\` response of each operation, in the problem format of RFC 9457.

Operation ids: the bare id belongs to an endpoint's first method, and to HEAD where any method is taken; the other methods add their name (\`bytes\`, \`bytes_by_head\`; \`anything_handler\`, \`anything_handler_by_get\`). Endpoints that take any method take unknown ones as well.`;

/** The OpenAPI 3.1 document of the endpoints. */
export function openApiDocument(endpoints: readonly Endpoint[]): Json {
  const schemas = new Schemas();
  schemas.use(problemSchema);
  const paths = endpoints.map(
    (endpoint) => [pathOf(endpoint), pathItem(endpoint, schemas)] as const,
  );
  const used = groupNames.filter((name) => endpoints.some(({ group }) => group === name));
  return {
    openapi: '3.1.0',
    info: { title: 'wirebin', version: API_VERSION, description: DESCRIPTION },
    servers: [{ url: '/' }],
    tags: used.map((name) => ({ name, description: groups[name].description })),
    paths: Object.fromEntries(paths),
    components: {
      schemas: schemas.components(),
      headers: {
        'X-Request-Id': {
          description:
            "The request's own where it is 1 to 128 visible ASCII characters, else a UUID.",
          schema: { type: 'string', minLength: 1, maxLength: 128 },
        },
        'X-Response-Time': {
          description: 'From the end of the header section to the start of the answer.',
          schema: { type: 'string', pattern: String.raw`^\d+\.\d{3}ms$` },
        },
        'X-Conn-Id': {
          description: 'The connection; only with --conn-headers.',
          schema: TEXT,
        },
        'X-Conn-Request': {
          description: 'Which of its requests this is, from 1; only with --conn-headers.',
          schema: { type: 'string', pattern: String.raw`^[1-9]\d*$` },
        },
      },
      responses: {
        Problem: {
          description: 'What was wrong.',
          headers: COMMON_FIELDS,
          content: {
            'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
          },
        },
        Options: {
          description: 'The methods that the path takes.',
          headers: { ...COMMON_FIELDS, Allow: { description: 'The methods.', schema: TEXT } },
        },
      },
    },
  };
}

/** OpenAPI knows no wildcards: `/anything/*path` becomes `/anything/{path}`. */
export function pathOf({ path }: Endpoint): string {
  return path.replace(/\*(\w+)/, '{$1}');
}

function pathItem(endpoint: Endpoint, schemas: Schemas): Json {
  return Object.fromEntries(
    answeredMethods(endpoint.methods).map((method) => [
      method.toLowerCase(),
      operation(endpoint, method, schemas),
    ]),
  );
}
