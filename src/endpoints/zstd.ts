import { endpoint, problemResponse } from '../server/endpoint.ts';
import { encodedEchoDeclaration } from '../echo/encoded-echo.ts';

const declaration = encodedEchoDeclaration('zstd');

export const zstdEcho = endpoint({
  ...declaration,
  path: '/zstd',
  summary: 'The echo, zstd-encoded (RFC 8878) regardless of Accept-Encoding; Node 22.15 and later.',
  responses: {
    ...declaration.responses,
    501: problemResponse('This version of Node does not support zstd.'),
  },
});
