import { encoderFor } from '../http/codings.ts';
import { endpoint } from '../server/endpoint.ts';
import { Problem } from '../http/problem.ts';
import { encodedEchoDeclaration, encodedEchoReply } from '../echo/encoded-echo.ts';

const encode = encoderFor('zstd');

export const zstdEcho = endpoint({
  ...encodedEchoDeclaration,
  id: 'zstd',
  methods: ['GET'],
  path: '/zstd',
  summary: 'The echo, zstd-encoded (RFC 8878) regardless of Accept-Encoding; Node 22.15 and later.',
  params: {},
  responses: {
    ...encodedEchoDeclaration.responses,
    501: {
      description: 'This version of Node does not support zstd.',
      content: ['application/problem+json'],
    },
  },
  handle({ request, content }) {
    if (encode) return encodedEchoReply(request, content, 'zstd', encode);
    throw new Problem('not-implemented', 'zstd requires Node 22.15 or later');
  },
});
