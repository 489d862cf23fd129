import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { endpoint } from '../http/endpoint.ts';
import { encodedEchoDeclaration, encodedEchoReply } from '../views/encoded-echo.ts';

const compress = promisify(brotliCompress);
// The default, 11, takes seconds for a megabyte.
const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };

export const brotliEcho = endpoint({
  ...encodedEchoDeclaration,
  id: 'brotli',
  methods: ['GET'],
  path: '/brotli',
  summary: 'The echo in br (RFC 7932), whatever Accept-Encoding says.',
  params: {},
  handle: ({ request, content }) =>
    encodedEchoReply(request, content, 'br', (text) => compress(text, { params })),
});
