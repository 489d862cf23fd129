import { parseMediaType } from '../../http/media-type.ts';
import type { Override } from '../../server/endpoint.ts';
import type { Request } from '../../server/request.ts';
import { reply, type Reply, type ReplyOptions } from '../../server/reply.ts';
import { escapeMarkup } from '../../server/safety.ts';
import { goJson } from '../json.ts';
import { withHandler } from '../overrides.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** A reply with JSON in go-httpbin's form. */
export function goReply(value: unknown, options?: ReplyOptions): Reply {
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
  path: string,
  view: (request: Request, content: Buffer) => unknown,
): Override {
  return withHandler(path, (request, content) => goReply(view(request, content)), [JSON_TYPE]);
}

/** Types that go-httpbin does not escape. `octet-string` is its spelling. */
const SAFE = new Set(['application/octet-string', 'text/plain', 'application/json']);

/** Whether content that a client controls is escaped when sent with this type. */
export function isEscaped(contentType: string): boolean {
  const media = parseMediaType(contentType);
  return !media || !SAFE.has(`${media.type}/${media.subtype}`);
}

/** Replaces markup by the character references of Go. */
export function escapeHtmlAsGo(text: string): string {
  return escapeMarkup(Buffer.from(text)).toString();
}
