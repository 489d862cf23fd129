import { endpoint } from '../../server/endpoint.ts';
import { decimal, described, optional } from '../../server/params.ts';
import { reply } from '../../server/reply.ts';
import { seed } from '../params.ts';
import { GoRandom } from '../random/go.ts';
import { TEXT_TYPE } from './replies.ts';

function chance(value: bigint | undefined): number {
  return value === undefined ? Math.random() : new GoRandom(value).fraction();
}

export const unstable = endpoint({
  id: 'unstable',
  methods: 'any',
  path: '/unstable',
  group: 'timing',
  summary: 'Fails with 500 with probability `failure_rate`, else 200; reproducible with `seed`.',
  params: {},
  query: {
    failure_rate: described('Failure probability.', optional(decimal({ min: 0, max: 1 }), 0.5)),
    seed,
  },
  responses: {
    200: { description: 'No content.', content: [TEXT_TYPE] },
    500: { description: 'No content.', content: [TEXT_TYPE] },
  },
  handle: ({ query }) =>
    reply(TEXT_TYPE, '', { status: chance(query.seed) < query.failure_rate ? 500 : 200 }),
});
