import { endpoint, type Endpoint } from '../server/endpoint.ts';
import { text } from '../server/reply.ts';
import { Problem } from '../http/problem.ts';

const OK = text('OK');

/** @param isDraining whether the service is shutting down */
export function readyz(isDraining: () => boolean): Endpoint {
  return endpoint({
    id: 'readyz',
    methods: ['GET'],
    path: '/readyz',
    group: 'operations',
    summary: 'Readiness check: OK while the service accepts requests, 503 once it shuts down.',
    params: {},
    responses: {
      200: { description: 'Ready.', content: ['text/plain; charset=utf-8'] },
      503: { description: 'Draining.', content: ['application/problem+json'] },
    },
    handle() {
      if (isDraining()) throw new Problem('draining', 'do not send new requests');
      return OK;
    },
  });
}
