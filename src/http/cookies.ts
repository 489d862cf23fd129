import { invalidParameter, Problem } from './problem.ts';
import { decodeFieldText, isToken, encodeFieldText, trimOws } from './fields.ts';

/**
 * The cookies of a Cookie field's value (RFC 6265 4.2), as sent: quotation marks are part of a
 * value. Of cookies that share a name the first counts, which user agents make the one with the
 * longest path (RFC 6265 5.4). Bytes that are valid UTF-8 are read as such, as Set-Cookie here
 * writes them. What has no `=` is no cookie and is passed over.
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

/** What a Set-Cookie value is made of (RFC 6265 4.1.1): a semicolon would begin an attribute. */
export const COOKIE_TEXT = new RegExp(String.raw`^[^\x00-\x1f;\x7f]*$`);
export const INVALID_COOKIE_TEXT = 'has a semicolon or a control character';

/** The attributes of a Set-Cookie field (RFC 6265 4.1.2); those absent are not sent. */
export interface CookieAttributes {
  readonly path?: string;
  readonly domain?: string | undefined;
  /** In seconds. */
  readonly maxAge?: number | undefined;
  readonly sameSite?: 'Strict' | 'Lax' | 'None' | undefined;
  readonly secure?: boolean;
  readonly httpOnly?: boolean;
}

/**
 * The value of a Set-Cookie field, attributes in the order of service.md 4.6. A field value has one
 * byte a character (RFC 9110 5.5), so characters beyond US-ASCII become the bytes of their UTF-8.
 *
 * @throws Problem invalid-parameter for a name that is no token, and for a semicolon or a control
 * character in the value, the path or the domain
 */
export function setCookie(name: string, value: string, attributes: CookieAttributes): string {
  if (!isToken(name)) {
    throw new Problem('invalid-parameter', `the cookie name ${JSON.stringify(name)} is no token`);
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
