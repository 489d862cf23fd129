import { endpoint } from '../server/endpoint.ts';
import { encodedEchoDeclaration } from '../echo/encoded-echo.ts';

export const brotliEcho = endpoint({
  ...encodedEchoDeclaration('br'),
  path: '/brotli',
  summary: 'The echo, Brotli-encoded (RFC 7932) regardless of Accept-Encoding.',
});
