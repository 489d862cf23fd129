import { Problem } from '../http/problem.ts';
import { fieldPairs } from '../http/fields.ts';
import { override, type Endpoint, type Override } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import type { Reply } from '../server/reply.ts';

/**
 * Replaces the handler of an endpoint; its parameters stay documented.
 *
 * @param types media types of the response
 */
export function withHandler(
  path: string,
  handler: (request: Request, content: Buffer) => Reply | Promise<Reply>,
  types: readonly string[] = ['application/json'],
): Override {
  return override(path, {
    responses: { 200: { description: 'As in the original.', content: types } },
    handle: ({ request, content }) => handler(request, content),
  });
}

/** Replaces the summary of an endpoint, too: that of wirebin's says more than the dialect shows. */
export function summarized(summary: string, { path, apply }: Override): Override {
  return { path, apply: (base) => ({ ...apply(base), summary }) };
}

/** Replaces the handler of an endpoint. @param respond makes the new one from the base endpoint */
function replaceHandler(path: string, respond: (base: Endpoint) => Endpoint['respond']): Override {
  return { path, apply: (base) => ({ ...base, respond: respond(base) }) };
}

/**
 * Replaces the responses to some problems of an endpoint.
 *
 * @param replace returns the response, or undefined to keep the problem; may throw another problem
 */
export function withErrors(
  path: string,
  replace: (problem: Problem) => Reply | undefined,
): Override {
  return replaceHandler(path, (base) => (request, segments, content) => {
    try {
      return base.respond(request, segments, content);
    } catch (error) {
      const reply = error instanceof Problem ? replace(error) : undefined;
      if (!reply) throw error;
      return reply;
    }
  });
}

/**
 * Replaces the content of an endpoint's 200 response.
 *
 * @param replace called with the request and the fields of the 200, without Content-Type
 */
export function withContent(
  path: string,
  replace: (request: Request, fields: readonly string[]) => Reply,
): Override {
  const transform = (request: Request, standard: Reply): Reply => {
    if (standard.status !== 200) return standard;
    const lines = Array.from(fieldPairs(standard.fields));
    const fields = lines.filter(([name]) => name !== 'Content-Type').flat();
    return { ...standard, ...replace(request, fields) };
  };
  return replaceHandler(
    path,
    (base) => async (request, segments, content) =>
      transform(request, await base.respond(request, segments, content)),
  );
}

/**
 * Responds to some requests in place of the endpoint.
 *
 * @param respond called with the values of the path parameters; returns undefined for other requests
 */
export function intercepted(
  { path, apply }: Override,
  respond: (segments: readonly string[]) => Reply | undefined,
): Override {
  return {
    path,
    apply(base) {
      const endpoint = apply(base);
      return {
        ...endpoint,
        respond: (request, segments, content) =>
          respond(segments) ?? endpoint.respond(request, segments, content),
      };
    },
  };
}

/** Allows all other methods, too. */
export function forAnyMethod({ path, apply }: Override): Override {
  return { path, apply: (base) => ({ ...apply(base), methods: 'any' }) };
}

/** Allows GET alone, and HEAD and OPTIONS with it. */
export function forGetOnly({ path, apply }: Override): Override {
  return { path, apply: (base) => ({ ...apply(base), methods: ['GET'] }) };
}
