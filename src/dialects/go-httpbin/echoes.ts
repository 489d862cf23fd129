import { anything } from '../../endpoints/anything.ts';
import { cache } from '../../endpoints/cache.ts';
import { deleteEcho } from '../../endpoints/delete.ts';
import { etag } from '../../endpoints/etag.ts';
import { getEcho } from '../../endpoints/get.ts';
import { headEcho } from '../../endpoints/head.ts';
import { headers } from '../../endpoints/headers.ts';
import { ip } from '../../endpoints/ip.ts';
import { patchEcho } from '../../endpoints/patch.ts';
import { postEcho } from '../../endpoints/post.ts';
import { putEcho } from '../../endpoints/put.ts';
import { replyWithTrailers, trailers } from '../../endpoints/trailers.ts';
import { measureContent, upload } from '../../endpoints/upload.ts';
import { userAgent } from '../../endpoints/user-agent.ts';
import { uuid } from '../../endpoints/uuid.ts';
import { queryOf, type Endpoint } from '../../server/endpoint.ts';
import type { Request } from '../../server/request.ts';
import { fieldValue } from '../../http/fields.ts';
import { reply, text, type Reply } from '../../server/reply.ts';
import { randomUuid } from '../../server/request-id.ts';
import { NOSNIFF } from '../../server/safety.ts';
import { Problem } from '../../http/problem.ts';
import { goHttpbinPostView, goHttpbinGetView, goHttpbinHeaders, goHttpbinOrigin } from './view.ts';
import { withHandler, forAnyMethod, withContent } from '../response-style.ts';
import { goReply, goJsonText, JSON_TYPE, withView, TEXT_TYPE } from './replies.ts';

/** Endpoints that allow a single method. */
export const methodEchoes: readonly Endpoint[] = [
  withView(getEcho, goHttpbinGetView),
  withView(forAnyMethod(headEcho), (request) => {
    if (request.method === 'HEAD') return goHttpbinGetView(request);
    const { method } = request;
    throw new Problem('method-not-allowed', `/head does not allow ${method}`, ['Allow', 'HEAD']);
  }),
  ...[postEcho, putEcho, patchEcho, deleteEcho].map((endpoint) =>
    withView(endpoint, goHttpbinPostView),
  ),
];

const cached: readonly Endpoint[] = [
  ...cache.map((endpoint) =>
    withContent(endpoint, (request, fields) => goReply(goHttpbinGetView(request), { fields })),
  ),
  withContent(etag, (request, fields) =>
    reply(TEXT_TYPE, goJsonText(goHttpbinGetView(request)), { fields: [...fields, ...NOSNIFF] }),
  ),
];

/** @param max maximum of the content, in bytes */
export function uploadEndpoint(max: number): Endpoint {
  return withHandler(
    upload(max),
    async (request) => {
      const { bytes_received } = await measureContent(request, max);
      return goReply({ ...goHttpbinGetView(request), bytes_received });
    },
    [JSON_TYPE],
  );
}

/** The other endpoints that show the request, and /uuid. */
export const echoes: readonly Endpoint[] = [
  ...cached,
  ...anything.map((endpoint) =>
    withView(endpoint, (request, content) =>
      request.method === 'HEAD' ? goHttpbinGetView(request) : goHttpbinPostView(request, content),
    ),
  ),
  withHandler(
    trailers,
    (request, content) =>
      replyWithTrailers(request, JSON_TYPE, goJsonText(goHttpbinPostView(request, content))),
    [JSON_TYPE],
  ),
  withView(headers, (request) => ({ headers: goHttpbinHeaders(request) })),
  withView(userAgent, ({ fields }) => ({ 'user-agent': fieldValue(fields, 'user-agent') ?? '' })),
  withView(uuid, () => ({ uuid: randomUuid() })),
  withHandler(ip, address, [JSON_TYPE, TEXT_TYPE]),
];

function address(request: Request): Reply {
  const origin = goHttpbinOrigin(request);
  const isPlain = queryOf(request).some(([name, value]) => name === 'format' && value === 'text');
  return isPlain ? text(`${origin}\n`) : goReply({ origin });
}
