import { encoderFor } from '../http/codings.ts';
import { endpoint } from '../server/endpoint.ts';
import { encodedEchoDeclaration, encodedEchoReply } from '../echo/encoded-echo.ts';

export const deflateEcho = endpoint({
  ...encodedEchoDeclaration,
  id: 'deflate',
  methods: ['GET'],
  path: '/deflate',
  summary:
    'The echo, deflate-encoded in the zlib format (RFC 9110 8.4.1.2) regardless of Accept-Encoding.',
  params: {},
  handle: ({ request, content }) =>
    encodedEchoReply(request, content, 'deflate', encoderFor('deflate')),
});
