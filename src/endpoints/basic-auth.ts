import { hasBasicCredentials } from '../http/basic.ts';
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
  id: 'basic_auth',
  methods: 'any',
  path: '/basic-auth/{user}/{passwd}',
  group: 'authentication',
  summary: 'Answers whom the path names, by Basic (RFC 7617).',
  params: { user: basicUser, passwd: anyText('The password.') },
  secretPath: true,
  responses: { 200: authenticatedResponse, 401: unauthorizedResponse },
  handle({ request, params: { user, passwd } }) {
    if (hasBasicCredentials(request.fields, user, passwd)) return authenticatedReply(user);
    throw new Problem(
      'unauthorized',
      'the request needs the user and password of its path',
      CHALLENGE,
    );
  },
});
