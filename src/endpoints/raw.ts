import { Problem } from '../http/problem.ts';
import { endpoint } from '../server/endpoint.ts';
import { described, oneOf, optional } from '../server/params.ts';
import { empty } from '../server/reply.ts';
import { base64 } from './base64.ts';

/** Query of endpoints that send bytes chosen by the client. */
export const rawQuery = {
  base64: described('The bytes, in place of content.', optional(base64, undefined)),
};

/** The bytes to send, which must be given either as content or in the query. @throws Problem */
export function givenBytes(content: Buffer, encoded: Buffer | undefined): Buffer {
  if ((content.length === 0) !== (encoded === undefined)) return encoded ?? content;
  throw new Problem(
    'invalid-parameter',
    encoded ? 'base64 is given although there is content' : 'base64 is required without content',
  );
}

/** Served with --allow-raw only: anyone could forge responses of this origin. */
export const raw = endpoint({
  path: '/raw',
  methods: ['GET', 'POST'],
  group: 'faults',
  summary:
    'Sends the request content, or the bytes in `base64`, as the whole response, verbatim. ' +
    'HTTP/1.1 only.',
  setting: '--allow-raw',
  query: {
    ...rawQuery,
    then: described(
      'Whether the connection is kept after the last byte.',
      optional(oneOf(['close', 'keep']), 'close'),
    ),
  },
  exampleQuery: 'base64=SFRUUC8xLjEgMjAwIE9LDQpDb250ZW50LUxlbmd0aDogMw0KDQpyYXc',
  curl: "printf 'HTTP/1.1 299 Raw\\r\\n\\r\\nraw' | curl -sSi --data-binary @- localhost:8080/raw",
  content: true,
  responses: { 200: { description: 'The bytes.' } },
  handle: ({ request, content, query: { base64: encoded, then } }) => {
    if (request.version === 'HTTP/2.0') {
      throw new Problem('fault-unavailable', '/raw: HTTP/2 has frames, which /frames sends');
    }
    const bytes = givenBytes(content, encoded);
    return { ...empty(200), fault: { kind: 'raw', bytes, then } };
  },
});
