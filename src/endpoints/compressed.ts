import { negotiateEncoder, codingDocs, VARY_BY_CODING } from '../http/codings.ts';
import { endpoint } from '../server/endpoint.ts';
import type { Reply } from '../server/reply.ts';
import { echoDeclaration, echoReply } from '../echo/echo.ts';
import { encodedEchoReply } from '../echo/encoded-echo.ts';

function varying(reply: Reply): Reply {
  return { ...reply, fields: [...reply.fields, ...VARY_BY_CODING] };
}

export const compressed = endpoint({
  ...echoDeclaration,
  id: 'compressed',
  methods: ['GET'],
  path: '/compressed',
  summary: 'The echo in the content coding that Accept-Encoding prefers (RFC 9110 12.5.3).',
  params: {},
  responses: {
    200: { ...echoDeclaration.responses[200], fields: codingDocs.fields },
    406: codingDocs[406],
  },
  async handle({ request, content }) {
    const accepted = negotiateEncoder(request.fields);
    if (!accepted) return varying(echoReply(request, content));
    const { coding, encode } = accepted;
    return varying(await encodedEchoReply(request, content, coding, encode));
  },
});
