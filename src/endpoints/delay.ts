import { endpoint, type Endpoint } from '../server/endpoint.ts';
import { percentages, pick, type Choice } from '../server/distribution.ts';
import { duration, required, type Parameter } from '../server/params.ts';
import { pause } from '../server/pause.ts';
import { TEXT_TYPE, text } from '../server/reply.ts';

/** A delay, or a distribution such as `10ms:50,100ms:5`, whose rest has no delay. @param max in seconds */
export function delayParameter(max: number): Parameter<readonly Choice<number>[]> {
  const seconds = duration(max);
  const { schema } = seconds;
  const distribution = 'Or percentages of several: `10ms:50,100ms:5`; the rest is not delayed.';
  return required(
    { ...schema, description: `Delay. ${schema.description} ${distribution}` },
    (value, name) =>
      value.includes(':')
        ? percentages(value, name, (part) => seconds.parse(part, name), 0)
        : [{ value: seconds.parse(value, name), weight: 1 }],
  );
}

/** @param max in seconds */
export function delay(max: number): Endpoint {
  return endpoint({
    methods: 'any',
    path: '/delay/{n}',
    group: 'timing',
    summary: 'Responds after n seconds.',
    params: { n: delayParameter(max) },
    responses: {
      200: { description: 'After n seconds.', content: [TEXT_TYPE] },
    },
    async handle({ request, params: { n } }) {
      const seconds = pick(n) ?? 0;
      await pause(seconds, request.signal);
      return text(`Response delayed by ${seconds} seconds`);
    },
  });
}
