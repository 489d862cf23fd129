import { endpoint } from '../server/endpoint.ts';
import { described, int } from '../server/params.ts';
import { reply } from '../server/reply.ts';
import { NOSNIFF, nosniffDoc } from '../server/safety.ts';
import { JSON_LINES, requestLines } from '../echo/request-lines.ts';

export const stream = endpoint({
  path: '/stream/{n}',
  group: 'content',
  summary: 'The request as a line of JSON with an `id`, from 0, n times.',
  params: { n: described('Number of lines.', int({ min: 0, max: 100 })) },
  additionalQuery: 'Echoed in `args`.',
  responses: { 200: { description: 'The lines.', content: [JSON_LINES], fields: nosniffDoc } },
  handle: ({ request, params: { n } }) =>
    reply(JSON_LINES, requestLines(request).payload('n', n), { fields: NOSNIFF }),
});
