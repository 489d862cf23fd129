import { endpoint, problemResponse, type Endpoint } from '../server/endpoint.ts';
import { fieldValue } from '../http/fields.ts';
import { anyText, decimal, described, optional, required } from '../server/params.ts';
import { invalidParameter } from '../http/problem.ts';
import { textStream } from '../server/payload.ts';
import { reply } from '../server/reply.ts';
import type { Tap } from '../telemetry/tap/tap.ts';
import { EVENT_KINDS, isWireKind, type EventKind } from '../telemetry/tap/record.ts';

const EVENT_STREAM = 'text/event-stream';
const MAX_PATTERN_LENGTH = 128;

/** Pattern parameter. Its length is limited, because it is matched against the path of every request. */
const pattern = required<string>(
  {
    type: 'string',
    description: 'Only requests for this path, as sent; `*` matches any characters.',
    maxLength: MAX_PATTERN_LENGTH,
  },
  (text, name) => {
    if (text.length <= MAX_PATTERN_LENGTH) return text;
    throw invalidParameter(name, text, `is longer than ${MAX_PATTERN_LENGTH} characters`);
  },
);

const kinds = required<readonly EventKind[]>(
  {
    type: 'string',
    description: `Only these kinds of events, comma-separated: ${EVENT_KINDS.join(', ')}.`,
    pattern: `^(?:${EVENT_KINDS.join('|')})(?:,(?:${EVENT_KINDS.join('|')}))*$`,
  },
  (text, name) => {
    return text.split(',').map((word) => {
      const kind = EVENT_KINDS.find((known) => known === word);
      if (!kind) throw invalidParameter(name, word, `is not one of ${EVENT_KINDS.join(', ')}`);
      return kind;
    });
  },
);

/** Served with --tap only. */
export function tapEndpoint(tap: Tap): Endpoint {
  return endpoint({
    path: '/tap',
    group: 'operations',
    ownOriginOnly: true,
    summary: 'A live stream of connection and request events, as server-sent events.',
    setting: '--tap',
    // A mistyped filter would let everything through.
    strictQuery: true,
    query: {
      path: optional(pattern, undefined),
      conn: optional(anyText('Only events of this connection.'), undefined),
      kind: optional(kinds, undefined),
      duration: described(
        'Seconds after which the stream ends.',
        optional(decimal({ min: 0, max: 86_400 }), undefined),
      ),
    },
    exampleQuery: 'duration=1',
    responses: {
      200: {
        description:
          'Events from now on, or after the one in Last-Event-ID (WHATWG HTML 9.2), for `duration` ' +
          'seconds or until the client disconnects.',
        content: [EVENT_STREAM],
        fields: {
          'Cache-Control': 'no-store',
          'X-Accel-Buffering': '`no`: disables buffering in nginx.',
        },
      },
      503: problemResponse('Too many readers, or the service is shutting down.'),
    },
    handle({ request, query: { path, conn, kind, duration } }) {
      if (kind?.some(isWireKind)) tap.ignoreWire(request.connection);
      const events = tap.read(request, {
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
