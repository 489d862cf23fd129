import { endpoint } from '../server/endpoint.ts';
import { encodedEchoDeclaration } from '../echo/encoded-echo.ts';

export const gzipEcho = endpoint({
  ...encodedEchoDeclaration('gzip'),
  path: '/gzip',
  summary: 'The echo, gzip-encoded (RFC 9110 8.4.1.3) regardless of Accept-Encoding.',
});
