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
import { httpbinPostView, httpbinGetView, httpbinHeaders, httpbinOrigin } from './view.ts';
import { flaskJson } from '../json.ts';
import { withHandler, withContent } from '../response-style.ts';

/** JSON as Flask sends it. */
export function flaskReply(
  value: unknown,
  options?: { status?: number; fields?: readonly string[] },
): Reply {
  return reply('application/json', flaskJson(value), options);
}

function withView(
  endpoint: Endpoint,
  view: (request: Request, content: Buffer) => unknown,
): Endpoint {
  return withHandler(endpoint, (request, content) => flaskReply(view(request, content)));
}

const cached: readonly Endpoint[] = [...cache, etag].map((endpoint) =>
  withContent(endpoint, (request, fields) => flaskReply(httpbinGetView(request), { fields })),
);

/** Endpoints that show the request. */
export const echoes: readonly Endpoint[] = [
  ...cached,
  ...anything.map((endpoint) =>
    withView(endpoint, (request, content) => ({
      ...httpbinPostView(request, content),
      method: request.method,
    })),
  ),
  withView(getEcho, httpbinGetView),
  ...[postEcho, putEcho, patchEcho, deleteEcho].map((endpoint) =>
    withView(endpoint, httpbinPostView),
  ),
  withView(headers, ({ fields }) => ({ headers: httpbinHeaders(fields) })),
  withView(ip, (request) => ({ origin: httpbinOrigin(request) })),
];
