import { hasBasicCredentials } from '../http/authorization.ts';
import { anyText, basicUser } from '../server/params.ts';
import { endpoint, problemResponse } from '../server/endpoint.ts';
import { Problem } from '../http/problem.ts';
import { authenticatedReply, authenticatedResponse } from '../echo/authenticated.ts';

export const hiddenBasicAuth = endpoint({
  methods: 'any',
  path: '/hidden-basic-auth/{user}/{passwd}',
  group: 'authentication',
  authentication: 'basic',
  summary: 'Like /basic-auth, but 404 without the credentials, so they must be sent preemptively.',
  curl: 'curl -sS -u user:passwd localhost:8080/hidden-basic-auth/user/passwd',
  params: { user: basicUser, passwd: anyText('The password.') },
  responses: {
    200: authenticatedResponse,
    404: problemResponse('The credentials are missing or wrong.'),
  },
  handle({ request, params: { user, passwd } }) {
    if (hasBasicCredentials(request.fields, user, passwd)) return authenticatedReply(user);
    throw new Problem('not-found', 'there is no such resource without the credentials');
  },
});
