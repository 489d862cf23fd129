import { negotiateEncoder, codingDocs, VARY_BY_CODING } from '../http/codings.ts';
import { endpoint } from '../server/endpoint.ts';
import { withFields } from '../server/reply.ts';
import { echoDeclaration, echoReply } from '../echo/echo.ts';
import { encodedEchoReply } from '../echo/encoded-echo.ts';

export const compressed = endpoint({
  ...echoDeclaration,
  path: '/compressed',
  summary: 'The echo in the content coding that Accept-Encoding prefers (RFC 9110 12.5.3).',
  responses: {
    200: { ...echoDeclaration.responses[200], fields: codingDocs.fields },
    406: codingDocs[406],
  },
  async handle({ request, content }) {
    const accepted = negotiateEncoder(request.fields);
    const reply = accepted
      ? await encodedEchoReply(request, content, accepted.coding, accepted.encode)
      : echoReply(request, content);
    return withFields(reply, VARY_BY_CODING);
  },
});
