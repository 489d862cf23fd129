import { readStart } from '../server/body.ts';
import { endpoint, type Endpoint } from '../server/endpoint.ts';
import { described, int, oneOf, optional } from '../server/params.ts';
import { statusReply, anyStatusResponses } from './status.ts';

/** @param maxRead maximum bytes of content that are read before the response */
export function early(maxRead: number): Endpoint {
  return endpoint({
    methods: ['POST', 'PUT'],
    path: '/early',
    group: 'faults',
    summary:
      'Responds before all of the content has arrived (RFC 9110 7.5, RFC 9113 8.1). With `after=0` ' +
      'the response does not wait for any, and 100 (Continue) is not sent.',
    query: {
      status: described('Status code.', optional(int({ min: 200, max: 599 }), 413)),
      after: described(
        'Bytes of content that are read first, or all if there are fewer.',
        optional(int({ min: 0, max: maxRead }), 0),
      ),
      // oxlint-disable-next-line unicorn/no-thenable -- a parameter's name, and no function
      then: described(
        'What becomes of the rest of the content: it is read and discarded, the connection is closed ' +
          'after the response (GOAWAY on HTTP/2), or RST_STREAM with NO_ERROR follows the response ' +
          '(HTTP/2 only).',
        optional(oneOf(['read', 'close', 'stop']), 'read'),
      ),
    },
    exampleQuery: 'status=413&after=65536',
    curl: "seq 99999 | curl -sSi -T - 'localhost:8080/early?after=65536&then=close'",
    content: 'streamed',
    responses: {
      ...anyStatusResponses,
      413: anyStatusResponses[400],
    },
    async handle({ request, query: { status, after, then } }) {
      if (then !== 'read') request.endWithResponse(then);
      if (after > 0 && request.hasBody) await readStart(request, after);
      return statusReply(status, request.version);
    },
  });
}
