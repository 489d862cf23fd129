import { endpoint, type Endpoint } from '../server/endpoint.ts';
import { fieldValue } from '../http/fields.ts';
import { anyText, decimal, described, optional, type Parameter } from '../server/params.ts';
import { invalidParameter } from '../http/problem.ts';
import { textStream } from '../server/payload.ts';
import { reply } from '../server/reply.ts';
import type { Tap } from '../telemetry/tap/tap.ts';
import { KINDS, type Kind } from '../telemetry/tap/record.ts';

const EVENT_STREAM = 'text/event-stream';
const LONGEST_PATTERN = 128;

/** Its parts are looked for in each path; long ones would cost. */
const pattern: Parameter<string> = {
  schema: {
    type: 'string',
    description: 'Requests for this path only, whole and as sent; `*` stands for any characters.',
    maxLength: LONGEST_PATTERN,
  },
  required: true,
  parse(text = '', name = '') {
    if (text.length <= LONGEST_PATTERN) return text;
    throw invalidParameter(name, text, `is longer than ${LONGEST_PATTERN} characters`);
  },
};

const kinds: Parameter<readonly Kind[]> = {
  schema: {
    type: 'string',
    description: `Of these, with commas between: ${KINDS.join(', ')}.`,
    pattern: `^(?:${KINDS.join('|')})(?:,(?:${KINDS.join('|')}))*$`,
  },
  required: true,
  parse(text = '', name = '') {
    return text.split(',').map((word) => {
      const kind = KINDS.find((known) => known === word);
      if (!kind) throw invalidParameter(name, word, `is none of ${KINDS.join(', ')}`);
      return kind;
    });
  },
};

/** Exists only where the tap is on. */
export function tapEndpoint(tap: Tap): Endpoint {
  return endpoint({
    id: 'tap',
    methods: ['GET'],
    path: '/tap',
    group: 'operations',
    summary: 'What becomes of connections and requests, live, as server-sent events.',
    params: {},
    setting: '--tap',
    query: {
      path: optional(pattern, undefined),
      conn: optional(anyText('Events of this connection only.'), undefined),
      kind: optional(kinds, undefined),
      duration: described(
        'After how many seconds to end.',
        optional(decimal({ min: 0, max: 86_400 }), undefined),
      ),
    },
    exampleQuery: 'duration=1',
    responses: {
      200: {
        description:
          'Events from now on, or from behind the one that Last-Event-ID names (WHATWG HTML 9.2), for `duration` seconds or without end.',
        content: [EVENT_STREAM],
        fields: {
          'Cache-Control': 'no-store',
          'X-Accel-Buffering': 'no: nginx passes it on at once',
        },
      },
      503: {
        description: 'There are readers enough, or the service is stopping.',
        content: ['application/problem+json'],
      },
    },
    handle({ request, query: { path, conn, kind, duration } }) {
      const events = tap.read({
        filter: { path, connection: conn, kinds: kind },
        lastEventId: fieldValue(request.fields, 'last-event-id'),
        duration,
      });
      return reply(EVENT_STREAM, textStream(events), {
        fields: ['Cache-Control', 'no-store', 'X-Accel-Buffering', 'no'],
      });
    },
  });
}
