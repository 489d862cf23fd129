import { redirectWithCookies } from '../../endpoints/cookies.ts';
import { setCookie, type CookieAttributes } from '../../http/cookies.ts';
import { override, queryOf, type Override } from '../../server/endpoint.ts';
import type { Request } from '../../server/request.ts';
import { fieldValue } from '../../http/fields.ts';
import { isToken, trimOws } from '../../http/syntax.ts';
import type { QueryPairs } from '../../http/query.ts';
import { cookieView, redirectResponses } from '../cookies.ts';
import { isForwardedHttps } from '../forwarded.ts';
import { goReply, JSON_TYPE } from './replies.ts';

const YEAR = 365 * 24 * 60 * 60 * 1000;
const ATTRIBUTE = /^attr\[(.*)\]$/;

/** The cookies in a query, one for each name, and the attributes of all of them. */
interface CookieQuery {
  readonly cookies: QueryPairs;
  readonly attributes: CookieAttributes;
}

function parseCookieQuery(request: Request): CookieQuery {
  const cookies = new Map<string, string>();
  const values = new Map<string, string>();
  for (const [name, value] of queryOf(request)) {
    const [, attribute] = ATTRIBUTE.exec(name) ?? [];
    const [map, key] =
      attribute === undefined ? [cookies, name] : [values, attribute.toLowerCase()];
    if (!map.has(key)) map.set(key, value);
  }
  const flag = (name: string, fallback: boolean): boolean =>
    values.has(name) ? /^(?:1|true)$/i.test(values.get(name) ?? '') : fallback;
  const attributes = {
    path: values.get('path') ?? '/',
    domain: values.get('domain'),
    sameSite: sameSiteOf(values.get('samesite')),
    secure: flag('secure', isForwardedHttps(request)),
    httpOnly: flag('httponly', true),
  };
  return { cookies: [...cookies], attributes };
}

function sameSiteOf(text: string | undefined): CookieAttributes['sameSite'] {
  return (['Strict', 'Lax', 'None'] as const).find(
    (word) => word.toLowerCase() === text?.toLowerCase(),
  );
}

/** What Go allows in the value of a cookie, without the quotation marks around it. */
const VALUE = /^[\x20\x21\x23-\x3a\x3c-\x5b\x5d-\x7e]*$/;

/** Reads a Cookie field like Go: invalid cookies are left out, and of a repeated name, the last one counts. */
function goCookies(field: string): Readonly<Record<string, string>> {
  const cookies = new Map<string, string>();
  for (const part of field.split(';')) {
    const [, name = '', given = ''] = /^([^=]*)=?(.*)/s.exec(trimOws(part)) ?? [];
    const [, value = given] = /^"(.*)"$/s.exec(given) ?? [];
    if (isToken(trimOws(name)) && VALUE.test(value)) cookies.set(trimOws(name), value);
  }
  // encoding/json sorts the keys of a map.
  return Object.fromEntries([...cookies].sort(([one], [other]) => (one < other ? -1 : 1)));
}

const shared = {
  additionalQuery: 'Names of cookies; `attr[Name]` sets an attribute of all of them.',
  responses: redirectResponses(),
};

export const cookies: readonly Override[] = [
  cookieView(JSON_TYPE, ({ fields }) =>
    goReply({ cookies: goCookies(fieldValue(fields, 'cookie') ?? '') }),
  ),
  override('/cookies/set', {
    ...shared,
    handle({ request }) {
      const { cookies: pairs, attributes } = parseCookieQuery(request);
      return redirectWithCookies(pairs, (name, value) => setCookie(name, value, attributes));
    },
  }),
  override('/cookies/delete', {
    ...shared,
    handle({ request }) {
      const { cookies: pairs, attributes } = parseCookieQuery(request);
      const expiry = `; Expires=${new Date(Date.now() - YEAR).toUTCString()}`;
      return redirectWithCookies(
        pairs,
        (name, value) => setCookie(name, value, { ...attributes, maxAge: 0 }) + expiry,
      );
    },
  }),
];
