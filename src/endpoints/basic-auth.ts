import { hasBasicCredentials } from '../http/authorization.ts';
import { anyText, basicUser } from '../server/params.ts';
import { endpoint } from '../server/endpoint.ts';
import { Problem } from '../http/problem.ts';
import {
  authenticatedReply,
  authenticatedResponse,
  unauthorizedResponse,
} from '../echo/authenticated.ts';

const CHALLENGE = ['WWW-Authenticate', 'Basic realm="wirebin", charset="UTF-8"'];

export const basicAuth = endpoint({
  methods: 'any',
  path: '/basic-auth/{user}/{passwd}',
  group: 'authentication',
  authentication: 'basic',
  summary: 'Basic authentication (RFC 7617) with the credentials in the path.',
  curl: 'curl -sS -u user:passwd localhost:8080/basic-auth/user/passwd',
  params: { user: basicUser, passwd: anyText('The password.') },
  responses: { 200: authenticatedResponse, 401: unauthorizedResponse },
  handle({ request, params: { user, passwd } }) {
    if (hasBasicCredentials(request.fields, user, passwd)) return authenticatedReply(user);
    throw new Problem(
      'unauthorized',
      'the credentials must be the credentials in the path',
      CHALLENGE,
    );
  },
});
