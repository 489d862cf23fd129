import { asterisks } from '../../endpoints/drip.ts';
import { endpoint, type Endpoint } from '../../server/endpoint.ts';
import { decimal, described, int, optional } from '../../server/params.ts';
import { pause } from '../../server/pause.ts';
import { MAX_REQUESTED_CONTENT } from '../../server/payload.ts';
import { empty, reply } from '../../server/reply.ts';
import { NOSNIFF } from '../../server/safety.ts';
import { httpbinPostView, httpbinLines } from './view.ts';
import { clampedInteger } from '../params.ts';
import type { DialectState } from '../state.ts';
import { flaskReply } from './echoes.ts';

const JSON_TYPE = 'application/json';
const BYTES = 'application/octet-stream';
/** httpbin shortens longer delays to this many seconds. */
const MAX_DELAY = 10;

/** Endpoints that delay or stream. */
export function timing({ maxDuration }: DialectState): readonly Endpoint[] {
  return [delayedEcho(maxDuration), drip(maxDuration), stream];
}

function delayedEcho(max: number): Endpoint {
  return endpoint({
    id: 'delay',
    methods: 'any',
    path: '/delay/{n}',
    group: 'timing',
    summary: 'Echoes the request after n seconds, at most 10.',
    params: {
      n: described('Delay in seconds.', decimal({ min: 0, max: Number.MAX_SAFE_INTEGER })),
    },
    content: true,
    additionalQuery: 'Echoed in `args`.',
    responses: { 200: { description: 'The request.', content: [JSON_TYPE] } },
    async handle({ request, content, params: { n } }) {
      await pause(Math.min(n, MAX_DELAY, max), request.signal);
      const { json: _, ...view } = httpbinPostView(request, content);
      return flaskReply(view);
    },
  });
}

function drip(max: number): Endpoint {
  const seconds = decimal({ min: 0, max });
  return endpoint({
    id: 'drip',
    methods: ['GET'],
    path: '/drip',
    group: 'timing',
    summary: 'Sends asterisks, spread evenly over a duration, with Content-Length.',
    params: {},
    query: {
      duration: described(
        'Seconds over which they are spread.',
        optional(seconds, Math.min(2, max)),
      ),
      numbytes: described(
        'Number of bytes.',
        optional(int({ min: 1, max: MAX_REQUESTED_CONTENT }), 10),
      ),
      code: described('Status code.', optional(int({ min: 200, max: 599 }), 200)),
      delay: described('Initial delay in seconds.', optional(seconds, 0)),
    },
    responses: { '2XX': { description: 'The status in `code`.', content: [BYTES] } },
    async handle({ request, query: { duration, numbytes, code, delay } }) {
      await pause(delay, request.signal);
      if (code === 204 || code === 205 || code === 304) return empty(code);
      // In httpbin a pause follows the last byte too.
      const spread = (duration * (numbytes - 1)) / numbytes;
      return reply(BYTES, asterisks(numbytes, spread, numbytes), { status: code });
    },
  });
}

const stream = endpoint({
  id: 'stream',
  methods: ['GET'],
  path: '/stream/{n}',
  group: 'content',
  summary: 'The request as a line of JSON with an `id`, n times, at most 100.',
  params: { n: described('Number of lines.', clampedInteger({ min: 0, max: 100 })) },
  additionalQuery: 'Echoed in `args`.',
  responses: { 200: { description: 'The lines.', content: [JSON_TYPE] } },
  handle: ({ request, params: { n } }) =>
    reply(JSON_TYPE, httpbinLines(request).payload('n', n), { fields: NOSNIFF }),
});
