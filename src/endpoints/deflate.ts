import { endpoint } from '../server/endpoint.ts';
import { encodedEchoDeclaration } from '../echo/encoded-echo.ts';

export const deflateEcho = endpoint({
  ...encodedEchoDeclaration('deflate'),
  path: '/deflate',
  summary:
    'The echo, deflate-encoded in the zlib format (RFC 9110 8.4.1.2) regardless of Accept-Encoding.',
});
