import { HTML_TYPE, reply, type Reply, type ReplyOptions } from '../../server/reply.ts';
import { flaskJson } from '../json.ts';

export const JSON_TYPE = 'application/json';

/** A reply with JSON in Flask's form. */
export function flaskReply(value: unknown, options?: ReplyOptions): Reply {
  return reply(JSON_TYPE, flaskJson(value), options);
}

/** A reply without content, of Flask's default type. */
export function emptyHtml(status: number, fields: readonly string[] = []): Reply {
  return reply(HTML_TYPE, '', { status, fields });
}
