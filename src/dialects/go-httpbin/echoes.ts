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
import { goHttpbinEcho, goHttpbinHead, goHttpbinHeaders, goHttpbinOrigin } from './view.ts';
import { withHandler, forAnyMethod, withContent } from '../response-style.ts';
import { goReply, goText, JSON_TYPE, shown, TEXT_TYPE } from './answers.ts';

/** What takes one method. */
export const methodEchoes: readonly Endpoint[] = [
  shown(getEcho, goHttpbinHead),
  shown(forAnyMethod(headEcho), (request) => {
    if (request.method === 'HEAD') return goHttpbinHead(request);
    const { method } = request;
    throw new Problem('method-not-allowed', `/head does not take ${method}`, ['Allow', 'HEAD']);
  }),
  ...[postEcho, putEcho, patchEcho, deleteEcho].map((endpoint) => shown(endpoint, goHttpbinEcho)),
];

/** What is there to be cached. */
const cached: readonly Endpoint[] = [
  ...cache.map((endpoint) =>
    withContent(endpoint, (request, fields) => goReply(goHttpbinHead(request), { fields })),
  ),
  withContent(etag, (request, fields) =>
    reply(TEXT_TYPE, goText(goHttpbinHead(request)), { fields: [...fields, ...NOSNIFF] }),
  ),
];

/**
 * What takes content and tells how much of it there was.
 *
 * @param max bytes
 */
export function uploaded(max: number): Endpoint {
  return withHandler(
    upload(max),
    async (request) => {
      const { bytes_received } = await measureContent(request, max);
      return goReply({ ...goHttpbinHead(request), bytes_received });
    },
    [JSON_TYPE],
  );
}

/** What else shows the request, or nothing of it. */
export const echoes: readonly Endpoint[] = [
  ...cached,
  ...anything.map((endpoint) =>
    shown(endpoint, (request, content) =>
      request.method === 'HEAD' ? goHttpbinHead(request) : goHttpbinEcho(request, content),
    ),
  ),
  withHandler(
    trailers,
    (request, content) =>
      replyWithTrailers(request, JSON_TYPE, goText(goHttpbinEcho(request, content))),
    [JSON_TYPE],
  ),
  shown(headers, (request) => ({ headers: goHttpbinHeaders(request) })),
  shown(userAgent, ({ fields }) => ({ 'user-agent': fieldValue(fields, 'user-agent') ?? '' })),
  shown(uuid, () => ({ uuid: randomUuid() })),
  withHandler(ip, address, [JSON_TYPE, TEXT_TYPE]),
];

function address(request: Request): Reply {
  const origin = goHttpbinOrigin(request);
  const isPlain = queryOf(request).some(([name, value]) => name === 'format' && value === 'text');
  return isPlain ? text(`${origin}\n`) : goReply({ origin });
}
