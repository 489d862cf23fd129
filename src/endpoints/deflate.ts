import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { endpoint } from '../http/endpoint.ts';
import { encodedEchoDeclaration, encodedEchoReply } from '../views/encoded-echo.ts';

const compress = promisify<string, Buffer>(deflate);

export const deflateEcho = endpoint({
  ...encodedEchoDeclaration,
  id: 'deflate',
  methods: ['GET'],
  path: '/deflate',
  summary:
    'The echo in deflate, the zlib format (RFC 9110 8.4.1.2), whatever Accept-Encoding says.',
  params: {},
  handle: ({ request, content }) => encodedEchoReply(request, content, 'deflate', compress),
});
