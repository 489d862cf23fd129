import { asterisks } from '../../endpoints/drip.ts';
import { endpoint, type Endpoint } from '../../server/endpoint.ts';
import { decimal, described, int, optional } from '../../server/params.ts';
import { pause } from '../../server/pause.ts';
import { MAX_REQUESTED_CONTENT } from '../../server/payload.ts';
import { empty, reply } from '../../server/reply.ts';
import { NOSNIFF } from '../../server/safety.ts';
import { httpbinEcho, httpbinLines } from './view.ts';
import { clamped } from '../params.ts';
import type { DialectState } from '../state.ts';
import { flaskReply } from './echoes.ts';

const JSON_TYPE = 'application/json';
const BYTES = 'application/octet-stream';
/** There no delay is longer, whatever is asked for. */
const LONGEST_DELAY = 10;

/** What takes its time, or comes in pieces. */
export function timing({ maxDuration }: DialectState): readonly Endpoint[] {
  return [delayedEcho(maxDuration), drip(maxDuration), stream];
}

function delayedEcho(max: number): Endpoint {
  return endpoint({
    id: 'delay',
    methods: 'any',
    path: '/delay/{n}',
    group: 'timing',
    summary: 'Echoes the request after n seconds, 10 at the most.',
    params: {
      n: described('How many seconds to wait.', decimal({ min: 0, max: Number.MAX_SAFE_INTEGER })),
    },
    content: true,
    additionalQuery: 'Echoed in `args`.',
    responses: { 200: { description: 'The request.', content: [JSON_TYPE] } },
    async handle({ request, content, params: { n } }) {
      await pause(Math.min(n, LONGEST_DELAY, max), request.signal);
      const { json: _, ...view } = httpbinEcho(request, content);
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
    summary: 'Asterisks, spread evenly over a duration, their number said beforehand.',
    params: {},
    query: {
      duration: described(
        'Over how many seconds they are spread.',
        optional(seconds, Math.min(2, max)),
      ),
      numbytes: described(
        'How many bytes.',
        optional(int({ min: 1, max: MAX_REQUESTED_CONTENT }), 10),
      ),
      code: described('The status.', optional(int({ min: 200, max: 599 }), 200)),
      delay: described('How many seconds until the first.', optional(seconds, 0)),
    },
    responses: { '2XX': { description: 'The status of `code`.', content: [BYTES] } },
    async handle({ request, query: { duration, numbytes, code, delay } }) {
      await pause(delay, request.signal);
      if (code === 204 || code === 205 || code === 304) return empty(code);
      // There the last one is followed by a pause as well.
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
  summary: 'The request n times over, 100 at the most, each a line of JSON with its `id`.',
  params: { n: described('How many lines.', clamped({ min: 0, max: 100 })) },
  additionalQuery: 'Echoed in `args`.',
  responses: { 200: { description: 'The lines.', content: [JSON_TYPE] } },
  handle: ({ request, params: { n } }) =>
    reply(JSON_TYPE, httpbinLines(request).payload('n', n), { fields: NOSNIFF }),
});
