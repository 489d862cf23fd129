import { endpoint } from '../server/endpoint.ts';
import { text } from '../server/reply.ts';

const OK = text('OK');

export const healthz = endpoint({
  id: 'healthz',
  methods: ['GET'],
  path: '/healthz',
  group: 'operations',
  summary: 'Liveness check: OK as long as the process can respond.',
  params: {},
  responses: { 200: { description: 'OK', content: ['text/plain; charset=utf-8'] } },
  handle: () => OK,
});
