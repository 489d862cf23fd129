import { codings, encoderOf, preferredCoding } from '../http/codings.ts';
import { endpoint } from '../http/endpoint.ts';
import { fieldValue } from '../http/fields.ts';
import type { Reply } from '../http/reply.ts';
import { Problem } from '../kit/problem.ts';
import { echoDeclaration, echoReply } from '../views/echo.ts';
import { encodedEchoReply } from '../views/encoded-echo.ts';

const VARY = ['Vary', 'Accept-Encoding'];
const varyDoc = { Vary: '`Accept-Encoding`' };

function varying(reply: Reply): Reply {
  return { ...reply, fields: [...reply.fields, ...VARY] };
}

export const compressed = endpoint({
  ...echoDeclaration,
  id: 'compressed',
  methods: ['GET'],
  path: '/compressed',
  summary: 'The echo in the content coding that Accept-Encoding likes best (RFC 9110 12.5.3).',
  params: {},
  responses: {
    200: {
      ...echoDeclaration.responses[200],
      fields: { ...varyDoc, 'Content-Encoding': 'br, zstd, gzip or deflate; none for `identity`.' },
    },
    406: {
      description:
        'Accept-Encoding takes no coding that is there, and content without one neither.',
      content: ['application/problem+json'],
      fields: varyDoc,
    },
  },
  async handle({ request, content }) {
    const coding = preferredCoding(fieldValue(request.fields, 'accept-encoding'), codings);
    if (coding === 'identity') return varying(echoReply(request, content));
    const encode = coding && encoderOf(coding);
    if (!encode) {
      throw new Problem('not-acceptable', `the codings are ${codings.join(', ')}, identity`, VARY);
    }
    return varying(await encodedEchoReply(request, content, coding, encode));
  },
});
