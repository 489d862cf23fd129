import { authorizationToken } from '../../http/authorization.ts';
import { digestResponse, readDigestCredentials, type DigestAlgorithm } from '../../http/digest.ts';
import { override, type Override } from '../../server/endpoint.ts';
import type { Request } from '../../server/request.ts';
import type { FieldLines } from '../../http/fields.ts';
import type { Nonces } from '../../server/nonces.ts';
import { anyText, described, equalsIgnoreCase, oneOf } from '../../server/params.ts';
import type { Reply } from '../../server/reply.ts';
import { authentication } from '../authentication.ts';
import { goError, goReply, JSON_TYPE } from './replies.ts';

const REALM = 'go-httpbin';
const NO_CONTENT = Buffer.alloc(0);

function authenticatedReply(user: string): Reply {
  return goReply({ authenticated: true, user, authorized: true });
}

function challengeWith(challenge: string): Reply {
  const fields = ['WWW-Authenticate', challenge];
  return goReply(goError(401, 'Unauthorized'), { status: 401, fields });
}

/** The user in the request's Basic credentials, even if they are invalid. */
function claimedUser(fields: FieldLines): string {
  const credentials = Buffer.from(authorizationToken(fields, 'basic') ?? '', 'base64').toString();
  const colon = credentials.indexOf(':');
  return colon < 0 ? '' : credentials.slice(0, colon);
}

export const basicAndBearer: readonly Override[] = authentication(
  {
    authenticated: authenticatedReply,
    unauthorized: ({ fields }) =>
      goReply(
        { authenticated: false, user: claimedUser(fields), authorized: false },
        { status: 401, fields: ['WWW-Authenticate', 'Basic realm="Fake Realm"'] },
      ),
    notFound: () => goReply(goError(404, 'Not Found'), { status: 404 }),
    bearer: /^bearer[ \t]+([^ \t]+)$/i,
    token: (token) => goReply({ authenticated: true, token }),
    missingToken: () => challengeWith('Bearer'),
  },
  [JSON_TYPE],
);

const ALGORITHMS: readonly DigestAlgorithm[] = ['MD5', 'SHA-256'];

/**
 * Whether the Digest credentials prove the password. Nonce and count are not checked, as in the original, so captured
 * credentials can be replayed.
 */
function hasDigestCredentials(request: Request, user: string, passwd: string): boolean {
  const credentials = readDigestCredentials(request.fields);
  if (typeof credentials === 'string') return false;
  const { username, realm, response, qop } = credentials;
  const algorithm = ALGORITHMS.find((name) => equalsIgnoreCase(name, credentials.algorithm));
  if (!algorithm || username !== user || realm !== REALM || qop !== 'auth') return false;
  const account = { user, realm, passwd };
  const expected = digestResponse(algorithm, account, credentials, request.method, NO_CONTENT);
  return equalsIgnoreCase(expected, response);
}

export function digest(nonces: Nonces): readonly Override[] {
  const shared = {
    query: {},
    content: false,
    responses: {
      200: { description: 'The credentials are valid.', content: [JSON_TYPE] },
      401: { description: 'The credentials are missing or wrong.', content: [JSON_TYPE] },
    },
  } as const;
  const account = {
    qop: described('Quality of protection to offer.', oneOf(['auth'], equalsIgnoreCase)),
    user: anyText('The user.'),
    passwd: anyText('The password.'),
  };
  const respond = (request: Request, user: string, passwd: string, algorithm: string): Reply => {
    if (hasDigestCredentials(request, user, passwd)) return authenticatedReply(user);
    const nonce = nonces.issue(Date.now());
    return challengeWith(
      `Digest qop="auth", realm="${REALM}", algorithm=${algorithm}, nonce="${nonce}", opaque="${REALM}"`,
    );
  };
  return [
    override('/digest-auth/{qop}/{user}/{passwd}', {
      ...shared,
      params: account,
      handle: ({ request, params: { user, passwd } }) => respond(request, user, passwd, 'MD5'),
    }),
    override('/digest-auth/{qop}/{user}/{passwd}/{algorithm}', {
      ...shared,
      params: {
        ...account,
        algorithm: described('Hash algorithm to use.', oneOf(ALGORITHMS, equalsIgnoreCase)),
      },
      handle: ({ request, params: { user, passwd, algorithm } }) =>
        respond(request, user, passwd, algorithm),
    }),
  ];
}
