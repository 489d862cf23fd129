import type { Endpoint } from '../server/endpoint.ts';
import type { Exchange } from '../server/exchange.ts';
import type { Request } from '../server/request.ts';
import { fieldPairs } from '../http/fields.ts';
import type { Reply } from '../server/reply.ts';
import { repeatableValue } from '../server/response-fields.ts';
import { Problem } from '../http/problem.ts';

/**
 * Allows any origin, and a fixed list of methods in preflight responses.
 *
 * @param methods value of Access-Control-Allow-Methods
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

type Handler = (request: Request, content: Buffer) => Reply | Promise<Reply>;

/**
 * Replaces the handler of an endpoint.
 *
 * @param types media types of the response
 */
export function withHandler(
  endpoint: Endpoint,
  handler: Handler,
  types: readonly string[] = ['application/json'],
): Endpoint {
  return {
    ...endpoint,
    responses: { 200: { description: 'As in the original.', content: types } },
    respond: (request, _, content) => handler(request, content),
  };
}

/**
 * Replaces the responses to some problems of an endpoint.
 *
 * @param replace returns the response, or undefined to keep the problem; may throw another problem
 */
export function withErrors(
  endpoint: Endpoint,
  replace: (problem: Problem) => Reply | undefined,
): Endpoint {
  return {
    ...endpoint,
    respond(request, segments, content) {
      try {
        return endpoint.respond(request, segments, content);
      } catch (error) {
        const reply = error instanceof Problem ? replace(error) : undefined;
        if (!reply) throw error;
        return reply;
      }
    },
  };
}

/**
 * Replaces the content of an endpoint's 200 response.
 *
 * @param replace called with the request and the fields of the 200, without Content-Type
 */
export function withContent(
  endpoint: Endpoint,
  replace: (request: Request, fields: readonly string[]) => Reply,
): Endpoint {
  const transform = (request: Request, standard: Reply): Reply => {
    if (standard.status !== 200) return standard;
    const lines = Array.from(fieldPairs(standard.fields));
    const fields = lines.filter(([name]) => name !== 'Content-Type').flat();
    return { ...standard, ...replace(request, fields) };
  };
  return {
    ...endpoint,
    respond(request, segments, content) {
      const standard = endpoint.respond(request, segments, content);
      return standard instanceof Promise
        ? standard.then((reply) => transform(request, reply))
        : transform(request, standard);
    },
  };
}

export function forAnyMethod(endpoint: Endpoint): Endpoint {
  return { ...endpoint, methods: 'any' };
}
