import { endpoint } from '../server/endpoint.ts';
import { decimal, described, optional } from '../server/params.ts';
import { seededBytes } from '../server/random-bytes.ts';
import { TEXT_TYPE, reply } from '../server/reply.ts';
import { seedParameter } from './bytes.ts';

/** A random number from 0 to below 1. With a seed: the first 48 seeded bits as a fraction. */
function chance(seed: number | undefined): number {
  return seed === undefined ? Math.random() : seededBytes(seed)(6).readUIntBE(0, 6) / 2 ** 48;
}

export const unstable = endpoint({
  methods: 'any',
  path: '/unstable',
  group: 'timing',
  summary:
    'Responds with 500 at random, with probability `failure_rate`, else with 200. With `seed` it is ' +
    'reproducible: 500 if the bytes of /bytes/6?seed=, as a fraction, are below the rate.',
  query: {
    failure_rate: described('Failure probability.', optional(decimal({ min: 0, max: 1 }), 0.5)),
    seed: seedParameter,
  },
  exampleQuery: 'failure_rate=0.5&seed=1',
  responses: {
    200: { description: 'No content.', content: [TEXT_TYPE] },
    500: { description: 'No content.', content: [TEXT_TYPE] },
  },
  handle: ({ query: { failure_rate: rate, seed } }) =>
    reply(TEXT_TYPE, '', { status: chance(seed) < rate ? 500 : 200 }),
});
