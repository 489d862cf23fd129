import { endpoint, type Endpoint } from '../http/endpoint.ts';
import { invalidParameter } from '../http/params.ts';
import { delayed } from '../http/pause.ts';
import { reply } from '../http/reply.ts';
import { NOSNIFF, nosniffDoc } from '../http/safety.ts';
import { spreadPieces } from '../http/spread.ts';
import { JSON_LINES, recordLines } from '../views/record.ts';
import { pacing } from './sse.ts';

/** A request with long fields makes long lines. */
const MAX_OCTETS = 10 * 1024 * 1024;

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
    freeQuery: 'Echoed in `args`.',
    responses: { 200: { description: 'The lines.', content: [JSON_LINES], fields: nosniffDoc } },
    handle({ request, query: { count, duration, delay, jitter } }) {
      const line = recordLines(request);
      if (line(count).length * count > MAX_OCTETS) {
        const what = `makes more than ${MAX_OCTETS} octets of this request`;
        throw invalidParameter('count', String(count), what);
      }
      return delayed(delay, request, () =>
        reply(JSON_LINES, spreadPieces(count, duration, jitter, line), { fields: NOSNIFF }),
      );
    },
  });
}
