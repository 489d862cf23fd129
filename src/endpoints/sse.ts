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
import { reply } from '../server/reply.ts';
import { pacePieces } from '../server/pace.ts';

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

/** @param max maximum of the duration and of the delay, in seconds */
export function serverSentEvents(max: number): Endpoint {
  return endpoint({
    path: '/sse',
    group: 'timing',
    summary: 'Server-sent events, `count` of them spread over a duration.',
    query: pacingParameters(5, max),
    exampleQuery: 'count=3&duration=0.5',
    responses: {
      200: {
        description: '`ping` events with `id`, from 0, and `timestamp` in ms.',
        content: [EVENTS],
      },
    },
    handle: ({ request, query: { count, duration, delay, jitter } }) =>
      delayed(delay, request, () => reply(EVENTS, pacePieces(count, duration, jitter, pingEvent))),
  });
}
