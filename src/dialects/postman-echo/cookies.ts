import { randomUUID } from 'node:crypto';
import { redirectWithCookies } from '../../endpoints/cookies.ts';
import { parseCookies, setCookie } from '../../http/cookies.ts';
import { fieldValue } from '../../http/fields.ts';
import { percentDecode } from '../../http/query.ts';
import { queryOf, type Override } from '../../server/endpoint.ts';
import { TEXT_TYPE, type Reply } from '../../server/reply.ts';
import type { Request } from '../../server/request.ts';
import { EXPIRED, plainCookies } from '../cookies.ts';
import { JSON_TYPE, postmanReply } from './view.ts';

/** The request's cookies, percent-decoded as Express does. */
function cookiesOf({ fields }: Request): Record<string, string> {
  const cookies = Object.entries(parseCookies(fieldValue(fields, 'cookie') ?? ''));
  return Object.fromEntries(cookies.map(([name, value]) => [name, percentDecode(value) ?? value]));
}

/**
 * Redirects to /cookies with a cookie for each query parameter, and that of the original's sessions. Without another
 * cookie, Postman would send the deleted ones to /cookies.
 */
function redirected(request: Request, toSetCookie: (name: string, value: string) => string): Reply {
  const { fields, ...response } = redirectWithCookies(queryOf(request), toSetCookie);
  return {
    ...response,
    fields: [...fields, ...session(), 'Content-Type', TEXT_TYPE],
    payload: 'Found. Redirecting to /cookies',
  };
}

function session(): string[] {
  return ['Set-Cookie', setCookie('sails.sid', randomUUID(), { path: '/', httpOnly: true })];
}

export const cookies: readonly Override[] = plainCookies({
  type: JSON_TYPE,
  redirected: [TEXT_TYPE],
  values: 'percent-encoded',
  show: (request) => postmanReply({ cookies: cookiesOf(request) }),
  set: (request) =>
    redirected(request, (name, value) => setCookie(name, encodeURIComponent(value), { path: '/' })),
  remove: (request) => redirected(request, (name) => setCookie(name, '', { path: '/' }) + EXPIRED),
});
