import { invalidParameter, Problem } from './problem.ts';
import { decodeFieldText, encodeFieldText } from './fields.ts';
import { isToken, trimOws } from './syntax.ts';

/**
 * Parses a Cookie field (RFC 6265 4.2). Quotation marks belong to values. Of a repeated name, the first cookie is kept,
 * for user agents the one with the longest path (RFC 6265 5.4). Valid UTF-8 is decoded, because `setCookie` encodes it.
 * Pairs without `=` are ignored.
 */
export function parseCookies(value: string): Record<string, string> {
  const cookies: Record<string, string> = Object.create(null);
  for (const pair of decodeFieldText(value).split(';')) {
    const equals = pair.indexOf('=');
    if (equals < 0) continue;
    cookies[trimOws(pair.slice(0, equals))] ??= trimOws(pair.slice(equals + 1));
  }
  return cookies;
}

/** Whether a cookie with this Path belongs to a request for the path (RFC 6265 5.1.4). */
export function pathMatches(path: string, cookiePath: string): boolean {
  if (!path.startsWith(cookiePath)) return false;
  return (
    path.length === cookiePath.length || cookiePath.endsWith('/') || path[cookiePath.length] === '/'
  );
}

/** Text allowed in a Set-Cookie value or attribute (RFC 6265 4.1.1). */
export const COOKIE_TEXT = new RegExp(String.raw`^[^\x00-\x1f;\x7f]*$`);
export const INVALID_COOKIE_TEXT = 'contains a semicolon or a control character';

/** The attributes of a Set-Cookie field (RFC 6265 4.1.2). */
export interface CookieAttributes {
  readonly path?: string;
  readonly domain?: string | undefined;
  /** Max-Age in seconds. */
  readonly maxAge?: number | undefined;
  readonly sameSite?: 'Strict' | 'Lax' | 'None' | undefined;
  readonly secure?: boolean;
  readonly httpOnly?: boolean;
}

/**
 * Formats a Set-Cookie field. Non-ASCII characters are encoded as UTF-8, one character per byte (RFC 9110 5.5).
 *
 * @throws Problem invalid-parameter if the name is no token, or the value, path or domain contains a semicolon or a
 * control character
 */
export function setCookie(name: string, value: string, attributes: CookieAttributes): string {
  if (!isToken(name)) {
    throw new Problem(
      'invalid-parameter',
      `the cookie name ${JSON.stringify(name)} is not a token`,
    );
  }
  const { path, domain, maxAge, sameSite, secure, httpOnly } = attributes;
  let cookie = `${name}=${checkedBytes(value, name)}`;
  if (path !== undefined) cookie += `; Path=${checkedBytes(path, 'path')}`;
  if (domain !== undefined) cookie += `; Domain=${checkedBytes(domain, 'domain')}`;
  if (maxAge !== undefined) cookie += `; Max-Age=${maxAge}`;
  if (sameSite !== undefined) cookie += `; SameSite=${sameSite}`;
  if (secure) cookie += '; Secure';
  if (httpOnly) cookie += '; HttpOnly';
  return cookie;
}

function checkedBytes(text: string, name: string): string {
  if (!COOKIE_TEXT.test(text)) throw invalidParameter(name, text, INVALID_COOKIE_TEXT);
  return encodeFieldText(text);
}
