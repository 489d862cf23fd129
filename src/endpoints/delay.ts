import { endpoint, type Endpoint } from '../server/endpoint.ts';
import { described, duration } from '../server/params.ts';
import { pause } from '../server/pause.ts';
import { TEXT_TYPE, text } from '../server/reply.ts';

/** @param max in seconds */
export function delay(max: number): Endpoint {
  return endpoint({
    methods: 'any',
    path: '/delay/{n}',
    group: 'timing',
    summary: 'Responds after n seconds.',
    params: { n: described('Delay.', duration(max)) },
    responses: {
      200: { description: 'After n seconds.', content: [TEXT_TYPE] },
    },
    async handle({ request, params: { n } }) {
      await pause(n, request.signal);
      return text(`Response delayed by ${n} seconds`);
    },
  });
}
