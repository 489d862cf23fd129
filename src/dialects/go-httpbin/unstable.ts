import { endpoint } from '../../server/endpoint.ts';
import { decimal, described, optional } from '../../server/params.ts';
import { reply } from '../../server/reply.ts';
import { seed } from '../params.ts';
import { GoRandom } from '../random/go.ts';
import { TEXT_TYPE } from './answers.ts';

function chance(value: bigint | undefined): number {
  return value === undefined ? Math.random() : new GoRandom(value).fraction();
}

export const unstable = endpoint({
  id: 'unstable',
  methods: 'any',
  path: '/unstable',
  group: 'timing',
  summary: 'Answers with 500 in `failure_rate` of all cases, else with 200; the same for a seed.',
  params: {},
  query: {
    failure_rate: described('The share of failures.', optional(decimal({ min: 0, max: 1 }), 0.5)),
    seed,
  },
  responses: {
    200: { description: 'No content.', content: [TEXT_TYPE] },
    500: { description: 'No content.', content: [TEXT_TYPE] },
  },
  handle: ({ query }) =>
    reply(TEXT_TYPE, '', { status: chance(query.seed) < query.failure_rate ? 500 : 200 }),
});
