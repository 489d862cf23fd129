import { authorizationToken } from '../http/authorization.ts';
import { hasBasicCredentials } from '../http/basic.ts';
import { endpoint, type Endpoint } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { anyText } from '../server/params.ts';
import type { Reply } from '../server/reply.ts';

/** A dialect's responses to valid and invalid credentials. */
interface AuthenticationReplies {
  authenticated(user: string): Reply;
  unauthorized(request: Request): Reply;
  /** For /hidden-basic-auth. */
  notFound(): Reply;
  token(token: string): Reply;
  missingToken(): Reply;
}

const shared = { methods: 'any', group: 'authentication', secretPath: true } as const;
const account = { user: anyText('The user.'), passwd: anyText('The password.') };

/** Basic and Bearer. */
export function authentication(
  replies: AuthenticationReplies,
  types: readonly string[],
): readonly Endpoint[] {
  const valid = { description: 'The credentials are valid.', content: types };
  const invalid = { description: 'The credentials are missing or wrong.', content: types };
  return [
    endpoint({
      ...shared,
      id: 'basic_auth',
      path: '/basic-auth/{user}/{passwd}',
      summary: 'Basic authentication (RFC 7617) with the user and password in the path.',
      params: account,
      responses: { 200: valid, 401: invalid },
      handle: ({ request, params: { user, passwd } }) =>
        hasBasicCredentials(request.fields, user, passwd)
          ? replies.authenticated(user)
          : replies.unauthorized(request),
    }),
    endpoint({
      ...shared,
      id: 'hidden_basic_auth',
      path: '/hidden-basic-auth/{user}/{passwd}',
      summary: 'Like /basic-auth, but 404 without the credentials.',
      params: account,
      responses: { 200: valid, 404: invalid },
      handle: ({ request, params: { user, passwd } }) =>
        hasBasicCredentials(request.fields, user, passwd)
          ? replies.authenticated(user)
          : replies.notFound(),
    }),
    endpoint({
      ...shared,
      id: 'bearer',
      path: '/bearer',
      summary: 'Bearer authentication (RFC 6750): accepts any token and returns it.',
      params: {},
      responses: { 200: valid, 401: invalid },
      handle({ request }) {
        const token = authorizationToken(request.fields, 'bearer');
        return token === undefined ? replies.missingToken() : replies.token(token);
      },
    }),
  ];
}
