import { endpoint, type Endpoint } from '../server/endpoint.ts';
import { delayed } from '../server/pause.ts';
import { reply } from '../server/reply.ts';
import { NOSNIFF, nosniffDoc } from '../server/safety.ts';
import { JSON_LINES, requestLines } from '../echo/request-lines.ts';
import { pacing } from './sse.ts';

/** @param max of the duration and of the delay, in seconds */
export function jsonLines(max: number): Endpoint {
  return endpoint({
    id: 'jsonl',
    methods: ['GET'],
    path: '/jsonl',
    group: 'timing',
    summary: 'The request `count` times over, each a line of JSON with its `id`, at once or paced.',
    params: {},
    query: pacing(0, max),
    additionalQuery: 'Echoed in `args`.',
    responses: { 200: { description: 'The lines.', content: [JSON_LINES], fields: nosniffDoc } },
    handle({ request, query: { count, duration, delay, jitter } }) {
      // Refused before the delay, throughout which nothing of it is kept.
      const lines = () => requestLines(request).payload('count', count, duration, jitter);
      if (delay > 0) lines();
      return delayed(delay, request, () => reply(JSON_LINES, lines(), { fields: NOSNIFF }));
    },
  });
}
