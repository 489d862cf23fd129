import { encoderOf } from '../http/codings.ts';
import { endpoint } from '../server/endpoint.ts';
import { encodedEchoDeclaration, encodedEchoReply } from '../echo/encoded-echo.ts';

export const brotliEcho = endpoint({
  ...encodedEchoDeclaration,
  id: 'brotli',
  methods: ['GET'],
  path: '/brotli',
  summary: 'The echo in br (RFC 7932), whatever Accept-Encoding says.',
  params: {},
  handle: ({ request, content }) => encodedEchoReply(request, content, 'br', encoderOf('br')),
});
