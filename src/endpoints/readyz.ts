import { endpoint, problemResponse, type Endpoint } from '../server/endpoint.ts';
import { TEXT_TYPE, text } from '../server/reply.ts';
import type { Readiness } from '../server/control.ts';
import { Problem } from '../http/problem.ts';

const OK = text('OK');

export function readyz(readiness: () => Readiness): Endpoint {
  return endpoint({
    path: '/readyz',
    group: 'operations',
    summary: 'Readiness check: OK while the service accepts requests, 503 once it shuts down.',
    responses: {
      200: { description: 'Ready.', content: [TEXT_TYPE] },
      503: problemResponse('Draining, or not ready.'),
    },
    handle() {
      const state = readiness();
      if (state === 'ready') return OK;
      throw new Problem(state, 'do not send new requests');
    },
  });
}
