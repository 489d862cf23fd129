import { encoderFor } from '../http/codings.ts';
import { endpoint } from '../server/endpoint.ts';
import { encodedEchoDeclaration, encodedEchoReply } from '../echo/encoded-echo.ts';

export const gzipEcho = endpoint({
  ...encodedEchoDeclaration,
  id: 'gzip',
  methods: ['GET'],
  path: '/gzip',
  summary: 'The echo, gzip-encoded (RFC 9110 8.4.1.3) regardless of Accept-Encoding.',
  params: {},
  handle: ({ request, content }) => encodedEchoReply(request, content, 'gzip', encoderFor('gzip')),
});
