import { authorizationToken } from '../http/authorization.ts';
import { endpoint, jsonResponse } from '../server/endpoint.ts';
import { json } from '../server/reply.ts';
import { BOOLEAN, objectSchema, TEXT } from '../server/schema.ts';
import { Problem } from '../http/problem.ts';
import { unauthorizedResponse } from '../echo/authenticated.ts';

const CHALLENGE = ['WWW-Authenticate', 'Bearer realm="wirebin"'];

export const bearer = endpoint({
  methods: 'any',
  path: '/bearer',
  group: 'authentication',
  authentication: 'bearer',
  summary: 'Bearer authentication (RFC 6750): accepts any token and returns it.',
  curl: "curl -sS -H 'Authorization: Bearer token' localhost:8080/bearer",
  responses: {
    200: jsonResponse(
      'The request has a token.',
      objectSchema('Token', { authenticated: BOOLEAN, token: TEXT }),
    ),
    401: unauthorizedResponse,
  },
  handle({ request }) {
    const token = authorizationToken(request.fields, 'bearer');
    if (token !== undefined) return json({ authenticated: true, token });
    throw new Problem('unauthorized', 'the request has no Bearer token', CHALLENGE);
  },
});
