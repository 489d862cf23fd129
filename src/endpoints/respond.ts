import { endpoint, queryOf, type Endpoint } from '../server/endpoint.ts';
import { TEXT_TYPE } from '../server/reply.ts';
import { nosniffDoc } from '../server/safety.ts';
import { checkDescription } from './respond/contradictions.ts';
import { responseParameters } from './respond/parameters.ts';
import { describedReply, type ReplyOptions } from './respond/reply.ts';

export function respond(options: ReplyOptions): Endpoint {
  const parameters = responseParameters(options.maxDuration);
  return endpoint({
    methods: 'any',
    path: '/respond',
    group: 'fields',
    summary: 'The response that the query describes: status, fields, content, times and faults.',
    query: parameters,
    queryEncoding: 'latin1',
    strictQuery: true,
    exampleQuery: 'status=200&body=hello&delay=100ms',
    curl: "curl -sSi 'localhost:8080/respond?status=503&header=Retry-After:1&body=no&delay=100ms'",
    content: (request) =>
      queryOf(request).some(([name, value]) => name === 'content' && value === 'echo'),
    responses: {
      200: {
        description: 'The response as described, with any status, fields and content.',
        content: ['*/*', TEXT_TYPE],
        fields: nosniffDoc,
      },
    },
    handle({ request, query, content }) {
      checkDescription(query);
      return describedReply(query, request, content, options);
    },
  });
}
