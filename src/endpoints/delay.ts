import { endpoint } from '../http/endpoint.ts';
import { decimal } from '../http/params.ts';
import { pause } from '../http/pause.ts';
import { text } from '../http/reply.ts';

export const delay = endpoint({
  id: 'delay',
  methods: 'any',
  path: '/delay/{n}',
  group: 'timing',
  summary: 'Answers after n seconds, which may have a fraction.',
  params: { n: decimal({ min: 0, max: 300 }) },
  responses: { 200: { description: 'The time is up.', content: ['text/plain; charset=utf-8'] } },
  async handle({ request, params: { n } }) {
    await pause(n, request.gone);
    return text(`Response delayed by ${n} seconds`);
  },
});
