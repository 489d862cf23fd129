import { authorizationToken } from '../http/authorization.ts';
import { hasBasicCredentials } from '../http/basic.ts';
import { endpoint, type Endpoint } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { anyText } from '../server/params.ts';
import type { Reply } from '../server/reply.ts';

/** What a dialect answers to whoever has the credentials, and to everybody else. */
interface Answers {
  granted(user: string): Reply;
  refused(request: Request): Reply;
  hidden(): Reply;
  token(token: string): Reply;
  untokened(): Reply;
}

const shared = { methods: 'any', group: 'authentication', secretPath: true } as const;
const account = { user: anyText('The user.'), passwd: anyText('The password.') };

/** Basic and Bearer. */
export function authentication(answers: Answers, types: readonly string[]): readonly Endpoint[] {
  const granted = { description: 'The credentials are right.', content: types };
  const refused = { description: 'The credentials are missing, or others.', content: types };
  return [
    endpoint({
      ...shared,
      id: 'basic_auth',
      path: '/basic-auth/{user}/{passwd}',
      summary: 'Answers whom the path names, by Basic (RFC 7617).',
      params: account,
      responses: { 200: granted, 401: refused },
      handle: ({ request, params: { user, passwd } }) =>
        hasBasicCredentials(request.fields, user, passwd)
          ? answers.granted(user)
          : answers.refused(request),
    }),
    endpoint({
      ...shared,
      id: 'hidden_basic_auth',
      path: '/hidden-basic-auth/{user}/{passwd}',
      summary: 'The same, but 404 for everybody else.',
      params: account,
      responses: { 200: granted, 404: refused },
      handle: ({ request, params: { user, passwd } }) =>
        hasBasicCredentials(request.fields, user, passwd)
          ? answers.granted(user)
          : answers.hidden(),
    }),
    endpoint({
      ...shared,
      id: 'bearer',
      path: '/bearer',
      summary: 'Answers whoever has a token, and with it, by Bearer (RFC 6750).',
      params: {},
      responses: { 200: granted, 401: refused },
      handle({ request }) {
        const token = authorizationToken(request.fields, 'bearer');
        return token === undefined ? answers.untokened() : answers.token(token);
      },
    }),
  ];
}
