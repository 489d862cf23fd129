import { endpoint } from '../server/endpoint.ts';
import { described, int } from '../server/params.ts';
import { reply } from '../server/reply.ts';
import { NOSNIFF, nosniffDoc } from '../server/safety.ts';
import { JSON_LINES, requestLines } from '../echo/request-lines.ts';

export const stream = endpoint({
  id: 'stream',
  methods: ['GET'],
  path: '/stream/{n}',
  group: 'content',
  summary: 'The request n times over, each a line of JSON with its `id`, from 0.',
  params: { n: described('How many lines.', int({ min: 0, max: 100 })) },
  additionalQuery: 'Echoed in `args`.',
  responses: { 200: { description: 'The lines.', content: [JSON_LINES], fields: nosniffDoc } },
  handle: ({ request, params: { n } }) =>
    reply(JSON_LINES, requestLines(request).payload('n', n), { fields: NOSNIFF }),
});
