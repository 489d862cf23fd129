import { anything } from '../../endpoints/anything.ts';
import { deleteEcho } from '../../endpoints/delete.ts';
import { getEcho } from '../../endpoints/get.ts';
import { headers } from '../../endpoints/headers.ts';
import { ip } from '../../endpoints/ip.ts';
import { patchEcho } from '../../endpoints/patch.ts';
import { postEcho } from '../../endpoints/post.ts';
import { putEcho } from '../../endpoints/put.ts';
import { userAgent } from '../../endpoints/user-agent.ts';
import { queryOf, type Endpoint } from '../../http/endpoint.ts';
import type { Request } from '../../http/exchange.ts';
import { fieldValue } from '../../http/fields.ts';
import { text } from '../../http/reply.ts';
import {
  goHttpbinEcho,
  goHttpbinHead,
  goHttpbinHeaders,
  goHttpbinOrigin,
} from '../../views/dialects/go-httpbin.ts';
import { answeredBy } from '../manner.ts';
import { goReply } from './answers.ts';

const RESPONSE = {
  description: 'As go-httpbin has it.',
  content: ['application/json; charset=utf-8'],
};

function shown(endpoint: Endpoint, view: (request: Request, content: Buffer) => unknown): Endpoint {
  return answeredBy(endpoint, (request, content) => goReply(view(request, content)), RESPONSE);
}

const textOrJson = {
  description: 'The address, in JSON unless `format=text` asks for it alone.',
  content: ['application/json; charset=utf-8', 'text/plain; charset=utf-8'],
};

/** What shows the request. */
export const echoes: readonly Endpoint[] = [
  ...anything.map((endpoint) =>
    shown(endpoint, (request, content) =>
      request.method === 'HEAD' ? goHttpbinHead(request) : goHttpbinEcho(request, content),
    ),
  ),
  shown(getEcho, goHttpbinHead),
  ...[postEcho, putEcho, patchEcho, deleteEcho].map((endpoint) => shown(endpoint, goHttpbinEcho)),
  shown(headers, (request) => ({ headers: goHttpbinHeaders(request) })),
  shown(userAgent, ({ fields }) => ({ 'user-agent': fieldValue(fields, 'user-agent') ?? '' })),
  answeredBy(
    ip,
    (request) => {
      const origin = goHttpbinOrigin(request);
      const wantsText = queryOf(request).some(
        ([name, value]) => name === 'format' && value === 'text',
      );
      return wantsText ? text(`${origin}\n`) : goReply({ origin });
    },
    textOrJson,
  ),
];
