import type { Endpoint, ResponseDoc } from '../http/endpoint.ts';
import type { Exchange, Request } from '../http/exchange.ts';
import { fieldValue } from '../http/fields.ts';
import type { Reply } from '../http/reply.ts';

/**
 * Any origin for every request, and a fixed list of methods in what a preflight asks.
 *
 * @param methods for Access-Control-Allow-Methods
 */
export function corsForAll(methods: string): (exchange: Exchange, fields: string[]) => void {
  return ({ method, fields: received }, fields) => {
    const origin = fieldValue(received, 'origin');
    fields.push('Access-Control-Allow-Origin', origin ?? '*');
    fields.push('Access-Control-Allow-Credentials', 'true');
    if (origin !== undefined) fields.push('Vary', 'Origin');
    if (method !== 'OPTIONS') return;
    fields.push('Access-Control-Allow-Methods', methods, 'Access-Control-Max-Age', '3600');
    const wanted = fieldValue(received, 'access-control-request-headers');
    if (wanted) fields.push('Access-Control-Allow-Headers', wanted);
  };
}

type Answer = (request: Request, content: Buffer) => Reply | Promise<Reply>;

/** The endpoint with another answer to the same requests. */
export function answeredBy(endpoint: Endpoint, answer: Answer, response: ResponseDoc): Endpoint {
  return {
    ...endpoint,
    responses: { 200: response },
    answer: (request, _, content) => answer(request, content),
  };
}
