import { anything } from '../../endpoints/anything.ts';
import { cache } from '../../endpoints/cache.ts';
import { deleteEcho } from '../../endpoints/delete.ts';
import { etag } from '../../endpoints/etag.ts';
import { getEcho } from '../../endpoints/get.ts';
import { headers } from '../../endpoints/headers.ts';
import { ip } from '../../endpoints/ip.ts';
import { patchEcho } from '../../endpoints/patch.ts';
import { postEcho } from '../../endpoints/post.ts';
import { putEcho } from '../../endpoints/put.ts';
import type { Endpoint } from '../../server/endpoint.ts';
import type { Request } from '../../server/request.ts';
import { reply, type Reply } from '../../server/reply.ts';
import { httpbinEcho, httpbinHead, httpbinHeaders, httpbinOrigin } from './view.ts';
import { flaskJson } from '../json.ts';
import { withHandler, withContent } from '../response-style.ts';

/** `value` as Flask sends it. */
export function flaskReply(
  value: unknown,
  options?: { status?: number; fields?: readonly string[] },
): Reply {
  return reply('application/json', flaskJson(value), options);
}

function shown(endpoint: Endpoint, view: (request: Request, content: Buffer) => unknown): Endpoint {
  return withHandler(endpoint, (request, content) => flaskReply(view(request, content)));
}

/** What is there to be cached. */
const cached: readonly Endpoint[] = [...cache, etag].map((endpoint) =>
  withContent(endpoint, (request, fields) => flaskReply(httpbinHead(request), { fields })),
);

/** What shows the request. */
export const echoes: readonly Endpoint[] = [
  ...cached,
  ...anything.map((endpoint) =>
    shown(endpoint, (request, content) => ({
      ...httpbinEcho(request, content),
      method: request.method,
    })),
  ),
  shown(getEcho, httpbinHead),
  ...[postEcho, putEcho, patchEcho, deleteEcho].map((endpoint) => shown(endpoint, httpbinEcho)),
  shown(headers, ({ fields }) => ({ headers: httpbinHeaders(fields) })),
  shown(ip, (request) => ({ origin: httpbinOrigin(request) })),
];
