import { endpoint, type Endpoint } from '../server/endpoint.ts';
import { delayed } from '../server/pause.ts';
import { reply } from '../server/reply.ts';
import { NOSNIFF, nosniffDoc } from '../server/safety.ts';
import { JSON_LINES, requestLines } from '../echo/request-lines.ts';
import { pacingParameters } from './sse.ts';

/** @param max maximum of the duration and of the delay, in seconds */
export function jsonLines(max: number): Endpoint {
  return endpoint({
    path: '/jsonl',
    group: 'timing',
    summary: 'The request as a line of JSON with an `id`, `count` times, optionally paced.',
    query: pacingParameters(0, max),
    additionalQuery: 'Echoed in `args`.',
    responses: { 200: { description: 'The lines.', content: [JSON_LINES], fields: nosniffDoc } },
    handle({ request, query: { count, duration, delay, jitter } }) {
      // Parameters are validated before the delay. The lines are made after it, because they need memory.
      const lines = () => requestLines(request).payload('count', count, duration, jitter);
      if (delay > 0) lines();
      return delayed(delay, request, () => reply(JSON_LINES, lines(), { fields: NOSNIFF }));
    },
  });
}
