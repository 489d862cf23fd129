import type { Endpoint } from '../../server/endpoint.ts';
import type { Request } from '../../server/request.ts';
import { reply, type Reply } from '../../server/reply.ts';
import { goJson } from '../json.ts';
import { withHandler } from '../response-style.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';
export const TEXT_TYPE = 'text/plain; charset=utf-8';

/** JSON as go-httpbin sends it. */
export function goReply(
  value: unknown,
  options?: { status?: number; fields?: readonly string[] },
): Reply {
  return reply(JSON_TYPE, goJsonText(value), options);
}

export function goJsonText(value: unknown): string {
  return `${goJson(value, 2, false)}\n`;
}

/** The JSON of an error. */
export function goError(status: number, reason: string, detail?: string): unknown {
  return { status_code: status, error: reason, ...(detail !== undefined && { detail }) };
}

/** Replaces the response of an endpoint by a view of the request. */
export function withView(
  endpoint: Endpoint,
  view: (request: Request, content: Buffer) => unknown,
): Endpoint {
  return withHandler(endpoint, (request, content) => goReply(view(request, content)), [JSON_TYPE]);
}
