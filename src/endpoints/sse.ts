import { endpoint, type Endpoint } from '../server/endpoint.ts';
import {
  decimal,
  described,
  duration as durationParameter,
  int,
  optional,
} from '../server/params.ts';
import { delayed } from '../server/pause.ts';
import { reply } from '../server/reply.ts';
import { pacePieces } from '../server/pace.ts';

const EVENTS = 'text/event-stream';

/**
 * The parameters of what comes in many pieces, one by one.
 *
 * @param duration by default, in seconds
 * @param max of the duration and of the delay, in seconds
 */
export function pacing(duration: number, max: number) {
  return {
    count: described('How many.', optional(int({ min: 0, max: 10_000 }), 10)),
    duration: described(
      'Over how long they are spread.',
      optional(durationParameter(max), Math.min(duration, max)),
    ),
    delay: described('How long until the first.', optional(durationParameter(max), 0)),
    jitter: described(
      'How far off the time between two may be; 0.5 is by half.',
      optional(decimal({ min: 0, max: 1 }), 0),
    ),
  };
}

/** An event as go-httpbin sends it (HTML, 9.2.6). */
export function ping(id: number): string {
  return `event: ping\ndata: {"id":${id},"timestamp":${Date.now()}}\n\n`;
}

/** @param max of the duration and of the delay, in seconds */
export function serverSentEvents(max: number): Endpoint {
  return endpoint({
    id: 'sse',
    methods: ['GET'],
    path: '/sse',
    group: 'timing',
    summary:
      'Server-sent events, `count` of them spread over a duration. `jitter` is how far off the ' +
      'time between two of them may be: 0.5 is by half.',
    params: {},
    query: pacing(5, max),
    exampleQuery: 'count=3&duration=0.5',
    responses: {
      200: { description: 'Events `ping`: `id` from 0, `timestamp` in ms.', content: [EVENTS] },
    },
    handle: ({ request, query: { count, duration, delay, jitter } }) =>
      delayed(delay, request, () => reply(EVENTS, pacePieces(count, duration, jitter, ping))),
  });
}
