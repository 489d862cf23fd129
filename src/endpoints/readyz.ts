import { endpoint, problemResponse, type Endpoint } from '../server/endpoint.ts';
import { TEXT_TYPE, text } from '../server/reply.ts';
import { Problem } from '../http/problem.ts';

const OK = text('OK');

/** @param isDraining whether the service is shutting down */
export function readyz(isDraining: () => boolean): Endpoint {
  return endpoint({
    path: '/readyz',
    group: 'operations',
    summary: 'Readiness check: OK while the service accepts requests, 503 once it shuts down.',
    responses: {
      200: { description: 'Ready.', content: [TEXT_TYPE] },
      503: problemResponse('Draining.'),
    },
    handle() {
      if (isDraining()) throw new Problem('draining', 'do not send new requests');
      return OK;
    },
  });
}
