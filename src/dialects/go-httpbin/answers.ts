import { reply, type Reply } from '../../http/reply.ts';
import { goJson } from '../../views/dialects/json.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** `value` as go-httpbin sends it. */
export function goReply(
  value: unknown,
  options?: { status?: number; fields?: readonly string[] },
): Reply {
  return reply(JSON_TYPE, `${goJson(value, 2, false)}\n`, options);
}
