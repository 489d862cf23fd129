import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { endpoint } from '../http/endpoint.ts';
import { encodedEchoDeclaration, encodedEchoReply } from '../views/encoded-echo.ts';

const compress = promisify<string, Buffer>(gzip);

export const gzipEcho = endpoint({
  ...encodedEchoDeclaration,
  id: 'gzip',
  methods: ['GET'],
  path: '/gzip',
  summary: 'The echo in gzip (RFC 9110 8.4.1.3), whatever Accept-Encoding says.',
  params: {},
  handle: ({ request, content }) => encodedEchoReply(request, content, 'gzip', compress),
});
