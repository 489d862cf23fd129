import { endpoint } from '../server/endpoint.ts';
import { TEXT_TYPE, text } from '../server/reply.ts';

const OK = text('OK');

export const healthz = endpoint({
  path: '/healthz',
  group: 'operations',
  summary: 'Liveness check: OK as long as the process can respond.',
  responses: { 200: { description: 'OK', content: [TEXT_TYPE] } },
  handle: () => OK,
});
