import { endpoint, type Endpoint } from '../server/endpoint.ts';
import {
  decimal,
  described,
  duration as durationParameter,
  int,
  optional,
  type Parameter,
} from '../server/params.ts';
import { delayed } from '../server/pause.ts';
import type { Reply } from '../server/reply.ts';
import { pacePieces } from '../server/pace.ts';
import type { Request } from '../server/request.ts';
import { headerParameter, type Field } from './respond/parameters.ts';
import { checkSafety, type Permissions } from './respond/safety.ts';
import { checkFields } from './response-headers.ts';
import { forbiddenTarget } from './redirect-to.ts';

const EVENTS = 'text/event-stream';

/**
 * Parameters of streams of events or lines.
 *
 * @param duration default in seconds
 * @param max maximum of the duration and of the delay, in seconds
 */
export function pacingParameters(
  duration: number,
  max: number,
  count: Parameter<number> = int({ min: 0, max: 10_000 }),
) {
  return {
    count: described('Number of events or lines.', optional(count, 10)),
    duration: described(
      'Time between the first and the last one.',
      optional(durationParameter(max), Math.min(duration, max)),
    ),
    delay: described('Initial delay.', optional(durationParameter(max), 0)),
    jitter: described(
      'Random variation of the interval between two; 0.5 is up to half.',
      optional(decimal({ min: 0, max: 1 }), 0),
    ),
  };
}

/** An event like those of go-httpbin (WHATWG HTML 9.2.6). */
export function pingEvent(id: number): string {
  return `event: ping\ndata: {"id":${id},"timestamp":${Date.now()}}\n\n`;
}

/** Fields of the response: those of the client replace others. @throws Problem if one cannot be sent, or is not safe */
function fieldsOf(header: readonly Field[], request: Request, permissions: Permissions): string[] {
  checkFields(header);
  const given = { header, type: undefined, status: undefined };
  checkSafety(given, request, permissions);
  const hasType = header.some(([name]) => name.toLowerCase() === 'content-type');
  const type = hasType ? [] : ['Content-Type', EVENTS];
  return [...type, ...header.flat()];
}

/**
 * @param max maximum of the duration and of the delay, in seconds
 * @param permissions what fields of the client may do
 */
export function serverSentEvents(max: number, permissions: Permissions): Endpoint {
  return endpoint({
    path: '/sse',
    group: 'timing',
    summary: 'Server-sent events, `count` of them spread over a duration.',
    query: { ...pacingParameters(5, max), header: headerParameter },
    queryEncoding: 'latin1',
    // A mistyped field would be none.
    strictQuery: true,
    exampleQuery: 'count=3&duration=0.5',
    curl: "curl -sSNi 'localhost:8080/sse?count=3&duration=0.5&header=X-Accel-Buffering:no'",
    responses: {
      200: {
        description: '`ping` events with `id`, from 0, and `timestamp` in ms.',
        content: [EVENTS],
      },
      ...(permissions.redirects !== 'anywhere' && { 403: forbiddenTarget }),
    },
    handle({ request, query: { count, duration, delay, jitter, header } }) {
      const fields = fieldsOf(header, request, permissions);
      return delayed(delay, request, (): Reply => {
        const payload = pacePieces(count, duration, jitter, pingEvent);
        return { status: 200, fields, payload, replacesDefaults: header.length > 0 };
      });
    },
  });
}
