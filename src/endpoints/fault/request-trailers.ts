import { streamContent } from '../../server/body.ts';
import { endpoint, jsonResponse, type Endpoint } from '../../server/endpoint.ts';
import { described, oneOf, optional } from '../../server/params.ts';
import { statusReply, statusSchema } from '../status.ts';

/**
 * A server that rejects trailer fields in requests, which are valid with any content (RFC 9110 6.5, RFC 9112
 * 7.1.2).
 *
 * @param maxContent maximum content in bytes
 */
export function requestTrailers(maxContent: number): Endpoint {
  return endpoint({
    path: '/fault/request-trailers',
    methods: 'any',
    group: 'faults',
    summary:
      'Fails requests with trailer fields, as some servers do; others get 200 once their content has been read.',
    query: {
      // oxlint-disable-next-line unicorn/no-thenable -- a parameter's name, and no function
      then: described(
        'How such a request fails: with 400, or with the connection closed without a response.',
        optional(oneOf(['refuse', 'close']), 'refuse'),
      ),
    },
    exampleQuery: 'then=close',
    curl: "curl -sSi -d x 'localhost:8080/fault/request-trailers'",
    content: 'streamed',
    responses: {
      200: jsonResponse('All of the content has arrived, without trailer fields.', statusSchema),
      400: {
        ...jsonResponse('With `then=refuse`: there are trailer fields.', statusSchema),
        content: ['application/json', 'application/problem+json'],
      },
    },
    async handle({ request, query: { then } }) {
      if (request.hasBody) await streamContent(request, maxContent, () => undefined);
      if (request.trailers.length === 0) return statusReply(200, request.version);
      const refusal = statusReply(400, request.version);
      return then === 'refuse'
        ? refusal
        : { ...refusal, fault: { kind: 'close', at: 'start', after: 0 } };
    },
  });
}
