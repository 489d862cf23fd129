import { basicUser, hasBasicCredentials } from '../http/basic.ts';
import { endpoint } from '../http/endpoint.ts';
import { anyText } from '../http/params.ts';
import { Problem } from '../kit/problem.ts';
import { authenticatedReply, authenticatedResponse } from '../views/authenticated.ts';

export const hiddenBasicAuth = endpoint({
  id: 'hidden_basic_auth',
  methods: 'any',
  path: '/hidden-basic-auth/{user}/{passwd}',
  group: 'authentication',
  summary: 'The same, but 404 for everybody else: only who sends credentials unasked finds it.',
  params: { user: basicUser, passwd: anyText('The password.') },
  secretPath: true,
  responses: {
    200: authenticatedResponse,
    404: {
      description: 'The credentials are missing, or others.',
      content: ['application/problem+json'],
    },
  },
  handle({ request, params: { user, passwd } }) {
    if (hasBasicCredentials(request.fields, user, passwd)) return authenticatedReply(user);
    throw new Problem('not-found', 'there is nothing here for those without the credentials');
  },
});
