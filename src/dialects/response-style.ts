import type { Endpoint } from '../server/endpoint.ts';
import type { Exchange } from '../server/exchange.ts';
import type { Request } from '../server/request.ts';
import { fieldPairs } from '../http/fields.ts';
import type { Reply } from '../server/reply.ts';
import { repeatableValue } from '../server/response-fields.ts';
import { Problem } from '../http/problem.ts';

/**
 * Any origin for every request, and a fixed list of methods in what a preflight asks.
 *
 * @param methods for Access-Control-Allow-Methods
 */
export function corsForAll(methods: string): (exchange: Exchange, fields: string[]) => void {
  return ({ method, fields: received }, fields) => {
    const origin = repeatableValue(received, 'origin');
    fields.push('Access-Control-Allow-Origin', origin ?? '*');
    fields.push('Access-Control-Allow-Credentials', 'true');
    if (origin !== undefined) fields.push('Vary', 'Origin');
    if (method !== 'OPTIONS') return;
    fields.push('Access-Control-Allow-Methods', methods, 'Access-Control-Max-Age', '3600');
    const wanted = repeatableValue(received, 'access-control-request-headers');
    if (wanted) fields.push('Access-Control-Allow-Headers', wanted);
  };
}

type Answer = (request: Request, content: Buffer) => Reply | Promise<Reply>;

/**
 * The endpoint with another answer to the same requests.
 *
 * @param types the media types of the answer
 */
export function withHandler(
  endpoint: Endpoint,
  answer: Answer,
  types: readonly string[] = ['application/json'],
): Endpoint {
  return {
    ...endpoint,
    responses: { 200: { description: 'As the original has it.', content: types } },
    respond: (request, _, content) => answer(request, content),
  };
}

/**
 * The endpoint with answers of another kind to some problems.
 *
 * @param instead undefined where the problem stands; what it throws is the problem then
 */
export function withErrors(
  endpoint: Endpoint,
  instead: (problem: Problem) => Reply | undefined,
): Endpoint {
  return {
    ...endpoint,
    respond(request, segments, content) {
      try {
        return endpoint.respond(request, segments, content);
      } catch (error) {
        const reply = error instanceof Problem ? instead(error) : undefined;
        if (!reply) throw error;
        return reply;
      }
    },
  };
}

/**
 * The endpoint with other content in its 200.
 *
 * @param answer makes it from the request and the fields of the 200, Content-Type left out
 */
export function withContent(
  endpoint: Endpoint,
  answer: (request: Request, fields: readonly string[]) => Reply,
): Endpoint {
  const translate = (request: Request, standard: Reply): Reply => {
    if (standard.status !== 200) return standard;
    const lines = Array.from(fieldPairs(standard.fields));
    const fields = lines.filter(([name]) => name !== 'Content-Type').flat();
    return { ...standard, ...answer(request, fields) };
  };
  return {
    ...endpoint,
    respond(request, segments, content) {
      const standard = endpoint.respond(request, segments, content);
      return standard instanceof Promise
        ? standard.then((reply) => translate(request, reply))
        : translate(request, standard);
    },
  };
}

/** The endpoint for any method. */
export function forAnyMethod(endpoint: Endpoint): Endpoint {
  return { ...endpoint, methods: 'any' };
}
