import { encoderFor } from '../http/codings.ts';
import { endpoint } from '../server/endpoint.ts';
import { encodedEchoDeclaration, encodedEchoReply } from '../echo/encoded-echo.ts';

export const brotliEcho = endpoint({
  ...encodedEchoDeclaration,
  id: 'brotli',
  methods: ['GET'],
  path: '/brotli',
  summary: 'The echo, Brotli-encoded (RFC 7932) regardless of Accept-Encoding.',
  params: {},
  handle: ({ request, content }) => encodedEchoReply(request, content, 'br', encoderFor('br')),
});
