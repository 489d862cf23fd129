import { parseCookies, setCookie } from '../http/cookies.ts';
import {
  digestAlgorithms,
  digestResponse,
  hashUsername,
  readDigestCredentials,
  type Account,
  type DigestAlgorithm,
  type DigestCredentials,
} from '../http/digest.ts';
import { endpoint, problemResponse, type Endpoint } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { fieldValue } from '../http/fields.ts';
import type { Nonces } from '../server/nonces.ts';
import {
  anyText,
  described,
  equalsIgnoreCase,
  flag,
  int,
  oneOf,
  required,
} from '../server/params.ts';
import type { Reply } from '../server/reply.ts';
import { parseTarget } from '../http/target.ts';
import { Problem } from '../http/problem.ts';
import {
  authenticatedReply,
  authenticatedResponse,
  unauthorizedResponse,
} from '../echo/authenticated.ts';

const REALM = 'wirebin';

/** The cookie that httpbin sets in its challenge and requires afterwards. */
const COOKIE = { name: 'fake', value: 'fake_value' };
const SET_COOKIE = ['Set-Cookie', setCookie(COOKIE.name, COOKIE.value, { path: '/' })];

/** What a challenge and the check of its nonce need. */
type NonceChecks = Pick<Nonces, 'issue' | 'isValid' | 'recordCount'>;

/** Digest authentication as configured by path and query. */
interface Options {
  readonly account: Account;
  /** Quality of protection: one value, or several separated by commas. */
  readonly qop: string;
  readonly algorithm: DigestAlgorithm;
  /** The highest nonce count (`nc`) that is accepted. */
  readonly staleAfter: number;
  readonly userhash: boolean;
  readonly requireCookie: boolean;
}

/**
 * Checks, in this order: syntax of the credentials, cookie, password, target, and nonce.
 *
 * @throws Problem unauthorized, with the challenge
 */
export function authenticateDigest(
  request: Request,
  content: Buffer,
  options: Options,
  nonces: NonceChecks,
): Reply {
  const unauthorized = (reason: string, isStale = false): Problem =>
    new Problem('unauthorized', reason, challenge(options, nonces, isStale));
  const credentials = readDigestCredentials(request.fields);
  if (typeof credentials === 'string') throw unauthorized(credentials);
  const { requireCookie, account } = options;
  if (requireCookie) checkCookie(request, unauthorized);
  const invalid = whyInvalid(credentials, options, request.method, content);
  if (invalid !== undefined) throw unauthorized(invalid);
  checkTarget(credentials, request);
  const stale = whyStale(credentials, request, options, nonces);
  if (stale !== undefined) throw unauthorized(stale, true);
  return authenticatedReply(account.user);
}

/** WWW-Authenticate (RFC 7616 3.3) with a new nonce. */
function challenge(options: Options, nonces: NonceChecks, isStale: boolean): string[] {
  const {
    account: { realm },
    qop,
    algorithm,
    userhash,
    requireCookie,
  } = options;
  const value =
    `Digest realm="${realm}", qop="${qop}", algorithm=${algorithm}, ` +
    `nonce="${nonces.issue(Date.now())}", opaque="${REALM}", charset=UTF-8` +
    `${isStale ? ', stale=true' : ''}${userhash ? ', userhash=true' : ''}`;
  return ['WWW-Authenticate', value, ...(requireCookie ? SET_COOKIE : [])];
}

/** Why the credentials do not prove the password; undefined if they do. Does not check the nonce. */
function whyInvalid(
  credentials: DigestCredentials,
  { account, algorithm, qop }: Options,
  method: string,
  content: Buffer,
): string | undefined {
  const { username, userhash, realm, nc, response } = credentials;
  if (realm !== account.realm) return `the realm must be ${account.realm}`;
  if (!equalsIgnoreCase(algorithm, credentials.algorithm))
    return `the algorithm must be ${algorithm}`;
  if (!qop.split(',').includes(credentials.qop)) return `the qop must be ${qop}`;
  if (!/^[\da-f]{8}$/i.test(nc) || Number.parseInt(nc, 16) === 0) {
    return 'nc must be eight hexadecimal digits, 00000001 or higher';
  }
  const isUser = userhash
    ? equalsIgnoreCase(hashUsername(algorithm, account), username)
    : username === account.user;
  if (!isUser) return 'the user is not the one in the path';
  const expected = digestResponse(algorithm, account, credentials, method, content);
  return equalsIgnoreCase(expected, response)
    ? undefined
    : 'the response does not match the password';
}

/** @throws Problem if the credentials are for another target (RFC 7616 3.4.6) */
function checkTarget({ uri }: DigestCredentials, { method, target }: Request): void {
  const signed = parseTarget(method, uri);
  if (signed?.path === target?.path && signed?.query === target?.query) return;
  throw new Problem('invalid-parameter', `uri=${uri} in Authorization is not the request target`);
}

/** Why the nonce of valid credentials is stale; undefined if it is not. */
function whyStale(
  { nonce, nc }: DigestCredentials,
  { connection }: Request,
  { staleAfter }: Options,
  nonces: NonceChecks,
): string | undefined {
  const count = Number.parseInt(nc, 16);
  if (!nonces.isValid(nonce, Date.now()))
    return 'the nonce has expired or was not issued by wirebin';
  if (count > staleAfter) return `nc=${nc} exceeds the stale_after of ${staleAfter}`;
  return nonces.recordCount(connection, nonce, count) ? undefined : `nc=${nc} was already used`;
}

/** Checks the cookie of the challenge. @throws Problem like httpbin: 401 without any cookie, 403 without this one */
function checkCookie({ fields }: Request, unauthorized: (reason: string) => Problem): void {
  const cookies = fieldValue(fields, 'cookie');
  if (cookies === undefined) throw unauthorized('the request has no cookies');
  if (parseCookies(cookies)[COOKIE.name] === COOKIE.value) return;
  const pair = `${COOKIE.name}=${COOKIE.value}`;
  throw new Problem('cookie-missing', `the cookie ${pair} is missing`, SET_COOKIE);
}

const count = int({ min: 0, max: 2 ** 32 - 1 });

/** Parameter: how many requests may use a nonce. `never` means any number until it expires. */
const staleAfter = required<number>(
  {
    anyOf: [{ type: 'string', enum: ['never'] }, count.schema],
    description:
      'Requests after which a nonce is stale, or `never`; it expires after five minutes.',
    examples: ['never', '1'],
  },
  (text, name) => (text === 'never' ? Infinity : count.parse(text, name)),
);

const account = {
  qop: described(
    'Quality of protection to offer.',
    oneOf(['auth', 'auth-int', 'auth,auth-int'], equalsIgnoreCase),
  ),
  user: anyText('The user.'),
  passwd: anyText('The password.'),
};
const algorithm = described('Hash algorithm to use.', oneOf(digestAlgorithms, equalsIgnoreCase));

const shared = {
  methods: 'any',
  group: 'authentication',
  authentication: 'digest',
  query: {
    userhash: described('Asks the client to hash the user name.', flag),
    'require-cookie': described('Requires the cookie that the challenge sets.', flag),
  },
  content: true,
  responses: {
    200: authenticatedResponse,
    401: {
      ...unauthorizedResponse,
      fields: { ...unauthorizedResponse.fields, 'Set-Cookie': 'With `require-cookie`.' },
    },
    403: problemResponse(
      'With `require-cookie`: the request has cookies, but not that of the challenge.',
      { 'Set-Cookie': 'The cookie again.' },
    ),
  },
} as const;

/** Input of the handlers of all three paths. */
interface DigestInput {
  readonly params: {
    readonly qop: string;
    readonly user: string;
    readonly passwd: string;
    readonly algorithm?: DigestAlgorithm;
    readonly stale_after?: number;
  };
  readonly query: { readonly userhash: boolean; readonly 'require-cookie': boolean };
  readonly request: Request;
  readonly content: Buffer;
}

export function digestAuth(nonces: Nonces): readonly Endpoint[] {
  const handle = ({ params, query, request, content }: DigestInput): Reply => {
    const { qop, user, passwd, algorithm: hash = 'MD5', stale_after: limit = Infinity } = params;
    const options = {
      account: { user, realm: REALM, passwd },
      qop,
      algorithm: hash,
      staleAfter: limit,
      userhash: query.userhash,
      requireCookie: query['require-cookie'],
    };
    return authenticateDigest(request, content, options, nonces);
  };
  return [
    endpoint({
      ...shared,
      path: '/digest-auth/{qop}/{user}/{passwd}',
      summary: 'Digest authentication (RFC 7616) with MD5 and the credentials in the path.',
      curl: 'curl -sS --digest -u user:passwd localhost:8080/digest-auth/auth/user/passwd',
      params: account,
      handle,
    }),
    endpoint({
      ...shared,
      id: 'digest_auth_algorithm',
      path: '/digest-auth/{qop}/{user}/{passwd}/{algorithm}',
      summary: 'Digest authentication with the given algorithm.',
      curl: 'curl -sS --digest -u user:passwd localhost:8080/digest-auth/auth/user/passwd/SHA-256',
      params: { ...account, algorithm },
      handle,
    }),
    endpoint({
      ...shared,
      id: 'digest_auth_stale',
      path: '/digest-auth/{qop}/{user}/{passwd}/{algorithm}/{stale_after}',
      summary:
        'Digest authentication with a nonce that becomes stale after `stale_after` requests.',
      curl: 'curl -sS --digest -u user:passwd localhost:8080/digest-auth/auth/user/passwd/SHA-256/1',
      params: { ...account, algorithm, stale_after: staleAfter },
      handle,
    }),
  ];
}
