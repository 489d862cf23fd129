import type { Endpoint } from '../../server/endpoint.ts';
import type { Request } from '../../server/request.ts';
import { reply, type Reply } from '../../server/reply.ts';
import { goJson } from '../json.ts';
import { withHandler } from '../response-style.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';
export const TEXT_TYPE = 'text/plain; charset=utf-8';

/** `value` as go-httpbin sends it. */
export function goReply(
  value: unknown,
  options?: { status?: number; fields?: readonly string[] },
): Reply {
  return reply(JSON_TYPE, goText(value), options);
}

/** `value` as go-httpbin writes it. */
export function goText(value: unknown): string {
  return `${goJson(value, 2, false)}\n`;
}

/** An error as go-httpbin tells it; without a detail it has none. */
export function goError(status: number, reason: string, detail?: string): unknown {
  return { status_code: status, error: reason, ...(detail !== undefined && { detail }) };
}

/** The endpoint with a view of the request as its answer. */
export function shown(
  endpoint: Endpoint,
  view: (request: Request, content: Buffer) => unknown,
): Endpoint {
  return withHandler(endpoint, (request, content) => goReply(view(request, content)), [JSON_TYPE]);
}
