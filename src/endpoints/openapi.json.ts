import { endpoint, type Endpoint } from '../http/endpoint.ts';
import { prettyJson, reply, type Reply } from '../http/reply.ts';
import { openApiDocument } from '../views/openapi.ts';

/** @param list every endpoint, this one included; asked for with the first request */
export function openapi(list: () => readonly Endpoint[]): Endpoint {
  let answer: Reply | undefined;
  return endpoint({
    id: 'openapi',
    methods: ['GET'],
    path: '/openapi.json',
    group: 'operations',
    summary: 'Describes every endpoint by OpenAPI 3.1, from what routes and validates them.',
    params: {},
    responses: { 200: { description: 'The document.', content: ['application/json'] } },
    handle() {
      // As octets: it is long, and would be encoded again for each answer.
      answer ??= reply('application/json', Buffer.from(prettyJson(openApiDocument(list()))));
      return answer;
    },
  });
}
