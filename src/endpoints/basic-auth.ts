import { basicUser, hasBasicCredentials } from '../http/basic.ts';
import { endpoint } from '../http/endpoint.ts';
import { anyText } from '../http/params.ts';
import { Problem } from '../kit/problem.ts';
import {
  authenticatedReply,
  authenticatedResponse,
  unauthorizedResponse,
} from '../views/authenticated.ts';

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
