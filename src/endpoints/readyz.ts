import { endpoint, type Endpoint } from '../server/endpoint.ts';
import { text } from '../server/reply.ts';
import { Problem } from '../http/problem.ts';

const OK = text('OK');

/** @param isDraining whether the service has been told to stop */
export function readyz(isDraining: () => boolean): Endpoint {
  return endpoint({
    id: 'readyz',
    methods: ['GET'],
    path: '/readyz',
    group: 'operations',
    summary: 'Says OK while new requests are welcome, 503 once the service is stopping.',
    params: {},
    responses: {
      200: { description: 'Ready.', content: ['text/plain; charset=utf-8'] },
      503: { description: 'Draining.', content: ['application/problem+json'] },
    },
    handle() {
      if (isDraining()) throw new Problem('draining', 'send no new requests here');
      return OK;
    },
  });
}
