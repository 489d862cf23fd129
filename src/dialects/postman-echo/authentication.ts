import { authenticateDigest } from '../../endpoints/digest-auth.ts';
import { hasBasicCredentials } from '../../http/authorization.ts';
import { Problem } from '../../http/problem.ts';
import { endpoint, type Endpoint } from '../../server/endpoint.ts';
import type { Nonces } from '../../server/nonces.ts';
import { text, TEXT_TYPE, type Reply } from '../../server/reply.ts';
import type { Request } from '../../server/request.ts';
import { whyNotHawk } from './hawk.ts';
import { verifyOAuth1 } from './oauth1.ts';
import { JSON_TYPE, postmanReply } from './view.ts';

/** The credentials that Postman publishes for /basic-auth and /digest-auth. */
const ACCOUNT = { user: 'postman', realm: 'Users', passwd: 'password' };

const digestOptions = {
  account: ACCOUNT,
  qop: 'auth',
  algorithm: 'MD5',
  staleAfter: Infinity,
  userhash: false,
  requireCookie: false,
} as const;

const authenticatedReply = postmanReply({ authenticated: true });

function unauthorized(fields: readonly string[]): Reply {
  return text('Unauthorized', { status: 401, fields });
}

function failed(scheme: string, details: object): Reply {
  const fields = ['WWW-Authenticate', scheme];
  return postmanReply({ status: 'fail', ...details }, { status: 401, fields });
}

function responses(type: string) {
  return {
    200: { description: 'The credentials are valid.', content: [JSON_TYPE] },
    401: {
      description: 'The credentials are missing or wrong.',
      content: [type],
      fields: { 'WWW-Authenticate': 'The authentication scheme and its parameters.' },
    },
  };
}

function digest(request: Request, nonces: Nonces): Reply {
  try {
    authenticateDigest(request, Buffer.alloc(0), digestOptions, {
      issue: (now) => nonces.issue(now),
      // As in the original, any nonce will do: Postman's collection has a fixed one.
      isValid: () => true,
      recordCount: () => true,
    });
  } catch (error) {
    if (error instanceof Problem && error.code === 'unauthorized')
      return unauthorized(error.fields);
    throw error;
  }
  return authenticatedReply;
}

/** Endpoints with fixed credentials, which Postman publishes. */
export function authentication(nonces: Nonces): readonly Endpoint[] {
  return [
    endpoint({
      path: '/basic-auth',
      group: 'authentication',
      authentication: 'basic',
      summary: 'Basic authentication (RFC 7617) as `postman` with `password`.',
      responses: responses(TEXT_TYPE),
      handle: ({ request }) =>
        hasBasicCredentials(request.fields, ACCOUNT.user, ACCOUNT.passwd)
          ? authenticatedReply
          : unauthorized(['WWW-Authenticate', `Basic realm="${ACCOUNT.realm}"`]),
    }),
    endpoint({
      path: '/digest-auth',
      group: 'authentication',
      authentication: 'digest',
      summary: 'Digest authentication (RFC 7616) as `postman` with `password`.',
      responses: responses(TEXT_TYPE),
      handle: ({ request }) => digest(request, nonces),
    }),
    endpoint({
      path: '/auth/hawk',
      group: 'authentication',
      summary: 'Hawk authentication with the published id and key, by SHA-256.',
      responses: responses(JSON_TYPE),
      handle({ request }) {
        const message = whyNotHawk(request, Date.now() / 1000);
        if (message !== undefined) return failed('Hawk', { message });
        return postmanReply({ status: 'pass', message: 'Hawk Authentication successful' });
      },
    }),
    endpoint({
      path: '/oauth1',
      group: 'authentication',
      summary:
        'Verifies an OAuth 1.0 signature (RFC 5849) of the published consumer, by HMAC-SHA1.',
      additionalQuery: 'Signed, and may have the parameters of OAuth.',
      responses: responses(JSON_TYPE),
      handle({ request }) {
        const { isValid, parts } = verifyOAuth1(request);
        if (!isValid) {
          return failed('OAuth', { message: 'HMAC-SHA1 verification failed', ...parts });
        }
        const message = 'OAuth-1.0a signature verification was successful';
        return postmanReply({ status: 'pass', message });
      },
    }),
  ];
}
