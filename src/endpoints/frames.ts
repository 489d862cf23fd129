import { Problem } from '../http/problem.ts';
import { endpoint } from '../server/endpoint.ts';
import { empty } from '../server/reply.ts';
import { givenBytes, rawQuery } from './raw.ts';

/** Served with --allow-raw only: anyone could forge responses of this origin. */
export const frames = endpoint({
  path: '/frames',
  methods: ['GET', 'POST'],
  group: 'faults',
  summary:
    'Sends the request content, or the bytes in `base64`, as frames of the connection, verbatim. ' +
    'HTTP/2 only.',
  setting: '--allow-raw',
  query: rawQuery,
  exampleQuery: 'base64=AAABAQUAAAABiA',
  curl:
    String.raw`printf '\0\0\1\1\5\0\0\0\1\210' | ` +
    'curl -sSi --http2-prior-knowledge --data-binary @- localhost:8080/frames',
  content: true,
  responses: { 200: { description: 'The frames.' } },
  handle: ({ request, content, query: { base64 } }) => {
    if (request.version !== 'HTTP/2.0') {
      throw new Problem('fault-unavailable', '/frames: HTTP/1.1 has no frames');
    }
    return { ...empty(200), fault: { kind: 'raw', bytes: givenBytes(content, base64) } };
  },
});
