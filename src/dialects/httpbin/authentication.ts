import { setCookie } from '../../http/cookies.ts';
import { fieldPairs, fieldValue } from '../../http/fields.ts';
import { Problem } from '../../http/problem.ts';
import { percentDecode } from '../../http/query.ts';
import type { Endpoint, Override } from '../../server/endpoint.ts';
import { HTML_TYPE, withFields, type Reply } from '../../server/reply.ts';
import type { Request } from '../../server/request.ts';
import { authentication as basicAndBearer } from '../authentication.ts';
import { quoted, werkzeugCookies } from './cookies.ts';
import { emptyHtml, flaskReply, JSON_TYPE } from './replies.ts';

function authenticatedReply(user: string): Reply {
  return flaskReply({ authenticated: true, user });
}

function cookie(name: string, value: string): string[] {
  return ['Set-Cookie', setCookie(name, quoted(value), { path: '/' })];
}

/** The cookie that every response of /digest-auth sets. */
const FAKE = cookie('fake', 'fake_value');
const STALE_AFTER = 'stale_after';
const NEVER = 'never';

/** Digest authentication (RFC 7616) with httpbin's cookies. An unknown qop means any, an unknown algorithm MD5. */
const digest = ['', '/{algorithm}', '/{algorithm}/{stale_after}'].map((rest): Override => ({
  path: `/digest-auth/{qop}/{user}/{passwd}${rest}`,
  apply: withCookies,
}));

const SET = { 'Set-Cookie': '`fake`, and `stale_after`, counted down.' };
const responses = {
  200: { description: 'The credentials are valid.', content: [JSON_TYPE], fields: SET },
  401: {
    description: 'The credentials are missing or wrong.',
    content: [HTML_TYPE],
    fields: { 'WWW-Authenticate': 'The challenge (RFC 7616 3.3).', ...SET },
  },
  403: {
    description: 'With `require-cookie`: the request has cookies, but not `fake`.',
    content: [JSON_TYPE],
    fields: { 'Set-Cookie': '`fake`' },
  },
};

function withCookies(base: Endpoint): Endpoint {
  return {
    ...base,
    responses,
    async respond(request, [qop = '', user = '', passwd = '', algorithm, limit], content) {
      const segments = [/^auth(?:-int)?$/.test(qop) ? qop : 'auth,auth-int', user, passwd];
      if (algorithm !== undefined) {
        segments.push(/^(?:MD5|SHA-256|SHA-512)$/.test(algorithm) ? algorithm : 'MD5');
      }
      if (limit !== undefined) segments.push(/^\d{1,9}$/.test(limit) ? limit : NEVER);
      try {
        await base.respond(request, segments, content);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        return refusal(error, percentDecode(limit ?? NEVER) ?? NEVER);
      }
      const cookies = [...FAKE, ...countedDown(request)];
      return withFields(authenticatedReply(percentDecode(user) ?? user), cookies);
    },
  };
}

/** @throws the problem if httpbin does not know it */
function refusal(problem: Problem, staleAfter: string): Reply {
  switch (problem.code) {
    case 'unauthorized': {
      const lines = Array.from(fieldPairs(problem.fields));
      const challenge = lines.filter(([name]) => name !== 'Set-Cookie').flat();
      return emptyHtml(401, [...challenge, ...cookie(STALE_AFTER, staleAfter), ...FAKE]);
    }
    case 'cookie-missing':
      return flaskReply(
        { errors: ['missing cookie set on challenge'] },
        { status: problem.status, fields: FAKE },
      );
    default:
      throw problem;
  }
}

/** The cookie stale_after, less one. The nonce counts by itself, so that this cookie is for show only. */
function countedDown({ fields }: Request): string[] {
  const value = werkzeugCookies(fieldValue(fields, 'cookie') ?? '')[STALE_AFTER];
  if (value === undefined) return [];
  const count = /^\d{1,9}$/.test(value) ? String(Number(value) - 1) : NEVER;
  return cookie(STALE_AFTER, count);
}

export const authentication: readonly Override[] = [
  ...basicAndBearer(
    {
      authenticated: authenticatedReply,
      unauthorized: () => emptyHtml(401, ['WWW-Authenticate', 'Basic realm="Fake Realm"']),
      notFound: () => emptyHtml(404),
      bearer: /^bearer (.+)$/i,
      token: (token) => flaskReply({ authenticated: true, token }),
      missingToken: () => emptyHtml(401, ['WWW-Authenticate', 'Bearer']),
    },
    [JSON_TYPE, HTML_TYPE],
  ),
  ...digest,
];
