import { hasBasicCredentials } from '../http/authorization.ts';
import { decodeFieldText, fieldValue } from '../http/fields.ts';
import { override, type Override } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { anyText } from '../server/params.ts';
import type { Reply } from '../server/reply.ts';

/** A dialect's responses to valid and invalid credentials. */
interface AuthenticationReplies {
  authenticated(user: string): Reply;
  unauthorized(request: Request): Reply;
  /** The response of /hidden-basic-auth to invalid credentials. */
  notFound(): Reply;
  /** Matches an Authorization with a Bearer token. Its first group is the token. */
  readonly bearer: RegExp;
  token(token: string): Reply;
  missingToken(): Reply;
}

const params = { user: anyText('The user.'), passwd: anyText('The password.') };

/** Endpoints of Basic and Bearer authentication. */
export function authentication(
  replies: AuthenticationReplies,
  types: readonly string[],
): readonly Override[] {
  const valid = { description: 'The credentials are valid.', content: types };
  const invalid = { description: 'The credentials are missing or wrong.', content: types };
  return [
    override('/basic-auth/{user}/{passwd}', {
      params,
      responses: { 200: valid, 401: invalid },
      handle: ({ request, params: { user, passwd } }) =>
        hasBasicCredentials(request.fields, user, passwd)
          ? replies.authenticated(user)
          : replies.unauthorized(request),
    }),
    override('/hidden-basic-auth/{user}/{passwd}', {
      params,
      responses: { 200: valid, 404: invalid },
      handle: ({ request, params: { user, passwd } }) =>
        hasBasicCredentials(request.fields, user, passwd)
          ? replies.authenticated(user)
          : replies.notFound(),
    }),
    override('/bearer', {
      responses: { 200: valid, 401: invalid },
      handle({ request }) {
        const value = fieldValue(request.fields, 'authorization') ?? '';
        const [, token] = replies.bearer.exec(value) ?? [];
        return token === undefined ? replies.missingToken() : replies.token(decodeFieldText(token));
      },
    }),
  ];
}
