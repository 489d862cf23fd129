import { endpoint } from '../http/endpoint.ts';
import { described, int } from '../http/params.ts';
import { reply } from '../http/reply.ts';
import { NOSNIFF, nosniffDoc } from '../http/safety.ts';
import { JSON_LINES, recordLines } from '../views/record.ts';

export const stream = endpoint({
  id: 'stream',
  methods: ['GET'],
  path: '/stream/{n}',
  group: 'content',
  summary: 'The request n times over, each a line of JSON with its `id`, from 0.',
  params: { n: described('How many lines.', int({ min: 0, max: 100 })) },
  freeQuery: 'Echoed in `args`.',
  responses: { 200: { description: 'The lines.', content: [JSON_LINES], fields: nosniffDoc } },
  handle: ({ request, params: { n } }) =>
    reply(JSON_LINES, recordLines(request).payload('n', n), { fields: NOSNIFF }),
});
