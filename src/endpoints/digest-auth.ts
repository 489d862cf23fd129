import { parseCookies, setCookie } from '../http/cookies.ts';
import {
  digestAlgorithms,
  digestResponse,
  hashedUser,
  readDigestCredentials,
  type Account,
  type DigestAlgorithm,
  type DigestCredentials,
} from '../http/digest.ts';
import { endpoint, type Endpoint } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { fieldValue } from '../http/fields.ts';
import type { Nonces } from '../server/nonces.ts';
import {
  anyText,
  described,
  flag,
  equalsIgnoreCase,
  int,
  oneOf,
  type Parameter,
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

/** What httpbin's challenge sets, and its clients send back. */
const COOKIE = { name: 'fake', value: 'fake_value' };
const SET_COOKIE = ['Set-Cookie', setCookie(COOKIE.name, COOKIE.value, { path: '/' })];

/** What the path and the query ask for. */
interface Demand {
  readonly account: Account;
  /** One, or several with commas. */
  readonly qop: string;
  readonly algorithm: DigestAlgorithm;
  /** The highest count that a nonce is good for. */
  readonly staleAfter: number;
  readonly userhash: boolean;
  readonly requireCookie: boolean;
}

/** The one way of a request: its credentials, then its cookie, then its nonce. */
function answer(request: Request, content: Buffer, demand: Demand, nonces: Nonces): Reply {
  const refuse = (reason: string, isStale = false): Problem =>
    new Problem('unauthorized', reason, challenge(demand, nonces, isStale));
  const credentials = readDigestCredentials(request.fields);
  if (typeof credentials === 'string') throw refuse(credentials);
  const { requireCookie, account } = demand;
  if (requireCookie) checkCookie(request, refuse);
  const fault = faultOf(credentials, demand, request.method, content);
  if (fault !== undefined) throw refuse(fault);
  checkTarget(credentials, request);
  const reason = whyStale(credentials, request, demand, nonces);
  if (reason !== undefined) throw refuse(reason, true);
  return authenticatedReply(account.user);
}

/** The challenge (RFC 7616 3.3), with a fresh nonce. */
function challenge(demand: Demand, nonces: Nonces, isStale: boolean): string[] {
  const { qop, algorithm, userhash, requireCookie } = demand;
  const value =
    `Digest realm="${REALM}", qop="${qop}", algorithm=${algorithm}, ` +
    `nonce="${nonces.issue(Date.now())}", opaque="${REALM}", charset=UTF-8` +
    `${isStale ? ', stale=true' : ''}${userhash ? ', userhash=true' : ''}`;
  return ['WWW-Authenticate', value, ...(requireCookie ? SET_COOKIE : [])];
}

/** What is wrong with credentials, the nonce left aside; undefined where they prove the password. */
function faultOf(
  credentials: DigestCredentials,
  { account, algorithm, qop }: Demand,
  method: string,
  content: Buffer,
): string | undefined {
  const { username, userhash, realm, nc, response } = credentials;
  if (realm !== REALM) return `the realm is ${REALM}`;
  if (!equalsIgnoreCase(algorithm, credentials.algorithm)) return `the algorithm is ${algorithm}`;
  if (!qop.split(',').includes(credentials.qop)) return `the qop is ${qop}`;
  if (!/^[\da-f]{8}$/i.test(nc) || Number.parseInt(nc, 16) === 0) {
    return 'nc is not a count of eight hexadecimal digits, from 00000001';
  }
  const isUser = userhash
    ? equalsIgnoreCase(hashedUser(algorithm, account), username)
    : username === account.user;
  if (!isUser) return 'the user is another';
  const right = digestResponse(algorithm, account, credentials, method, content);
  return equalsIgnoreCase(right, response)
    ? undefined
    : 'the response is not what the password makes';
}

/** @throws Problem where the credentials are for another request (RFC 7616 3.4.6) */
function checkTarget({ uri }: DigestCredentials, { method, target }: Request): void {
  const signed = parseTarget(method, uri);
  if (signed?.path === target?.path && signed?.query === target?.query) return;
  throw new Problem('invalid-parameter', `uri=${uri} in Authorization is not the request's target`);
}

/** Why the nonce of right credentials is good no more; undefined where it is. */
function whyStale(
  { nonce, nc }: DigestCredentials,
  { connection }: Request,
  { staleAfter }: Demand,
  nonces: Nonces,
): string | undefined {
  const count = Number.parseInt(nc, 16);
  if (!nonces.isValid(nonce, Date.now())) return 'the nonce is too old, or none of wirebin';
  if (count > staleAfter) return `nc=${nc} exceeds the stale_after of ${staleAfter}`;
  return nonces.recordCount(connection, nonce, count) ? undefined : `nc=${nc} has come before`;
}

/** @throws Problem as httpbin has it: without any cookie another challenge, without its own 403 */
function checkCookie({ fields }: Request, refuse: (reason: string) => Problem): void {
  const cookies = fieldValue(fields, 'cookie');
  if (cookies === undefined) throw refuse('the request has no cookies');
  if (parseCookies(cookies)[COOKIE.name] === COOKIE.value) return;
  const pair = `${COOKIE.name}=${COOKIE.value}`;
  throw new Problem('cookie-missing', `the cookie ${pair} has not come back`, SET_COOKIE);
}

const count = int({ min: 0, max: 2 ** 32 - 1 });

/** As many requests as a nonce is good for; `never` is for as long as it lasts. */
const staleAfter: Parameter<number> = {
  schema: {
    anyOf: [{ type: 'string', enum: ['never'] }, count.schema],
    description: 'After how many requests a nonce is stale, or `never`; it lasts for five minutes.',
    examples: ['never', '1'],
  },
  required: true,
  parse: (text, name) => (text === 'never' ? Infinity : count.parse(text, name)),
};

const account = {
  qop: described(
    'The quality of protection to offer.',
    oneOf(['auth', 'auth-int', 'auth,auth-int'], equalsIgnoreCase),
  ),
  user: anyText('The user.'),
  passwd: anyText('The password.'),
};
const algorithm = described('The hash to use.', oneOf(digestAlgorithms, equalsIgnoreCase));

const shared = {
  methods: 'any',
  group: 'authentication',
  query: {
    userhash: described('Asks the client to hash the user name.', flag),
    'require-cookie': described('Wants the cookie back that the challenge has set.', flag),
  },
  content: true,
  secretPath: true,
  responses: {
    200: authenticatedResponse,
    401: {
      ...unauthorizedResponse,
      fields: { ...unauthorizedResponse.fields, 'Set-Cookie': 'With `require-cookie`.' },
    },
    403: {
      description: 'With `require-cookie`: there are cookies, and not the one of the challenge.',
      content: ['application/problem+json'],
      fields: { 'Set-Cookie': 'The cookie again.' },
    },
  },
} as const;

/** What is read of a request to any of the three paths. */
interface Asked {
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

/** @param nonces those of the whole service */
export function digestAuth(nonces: Nonces): readonly Endpoint[] {
  const handle = ({ params, query, request, content }: Asked): Reply => {
    const { qop, user, passwd, algorithm: asked = 'MD5', stale_after: limit = Infinity } = params;
    const demand = {
      account: { user, realm: REALM, passwd },
      qop,
      algorithm: asked,
      staleAfter: limit,
      userhash: query.userhash,
      requireCookie: query['require-cookie'],
    };
    return answer(request, content, demand, nonces);
  };
  return [
    endpoint({
      ...shared,
      id: 'digest_auth',
      path: '/digest-auth/{qop}/{user}/{passwd}',
      summary: 'Answers whom the path names, by Digest (RFC 7616) with MD5.',
      params: account,
      handle,
    }),
    endpoint({
      ...shared,
      id: 'digest_auth_algorithm',
      path: '/digest-auth/{qop}/{user}/{passwd}/{algorithm}',
      summary: 'The same with another algorithm.',
      params: { ...account, algorithm },
      handle,
    }),
    endpoint({
      ...shared,
      id: 'digest_auth_stale',
      path: '/digest-auth/{qop}/{user}/{passwd}/{algorithm}/{stale_after}',
      summary: 'The same with a nonce that is stale after so many requests.',
      params: { ...account, algorithm, stale_after: staleAfter },
      handle,
    }),
  ];
}
