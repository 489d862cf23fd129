import { decodeEscapes } from '../../http/query.ts';

export const REDACTED = '[redacted]';

/** Parts of names whose fields or parameters have secret values, also within a word. */
const PARTS = [
  'authorization',
  'cookie',
  'token(?!s)',
  'secret',
  'passw(?:or)?d',
  'passphrase',
  'passcode',
  // Not Access-Control-Allow-Credentials, whose value is only `true`.
  '(?<!allow-)credential',
  'session',
  'sessid',
  'assertion',
  'jwt',
  'csrf',
  'xsrf',
  'saml',
  'code[-_]?verifier',
  '(?:api|access|account|application|auth|client|customer|encryption|functions|licen[cs]e|master|private|shared|signing|storage|subscription)[-_]?key(?!-md5)',
];

/** As `PARTS`, but only as whole words. */
const WORDS = [
  'bearer',
  'creds?',
  'cvc',
  'cvv',
  'dpop',
  'mfa',
  'o?auth(?![-_])',
  'otp',
  'pass',
  'pin',
  'pw',
  'pwd',
  'sid',
  'sig',
  '(?<!accept-)signature(?!-input)',
  'ssn',
  'totp',
  'vault',
];

const SECRET = new RegExp(`${PARTS.join('|')}|(?<![a-z])(?:${WORDS.join('|')})(?![a-z])`, 'i');
const SECRET_OR_QUERY = new RegExp(`${SECRET.source}|\\?`, 'i');

/** Header and payload of a JSON Web Token (RFC 7519), each with the dot after it. */
const JWT = String.raw`(?<![\w-])eyJ[\w-]{8,}\.[\w-]*\.`;

/**
 * Path segments after which a secret follows: endpoints for authentication and cookies, also with backslashes,
 * repeated slashes or path parameters.
 */
const SEGMENTS = String.raw`(?:basic-auth|digest-auth|cookies[\\/]+set)(?:;[^\\/]{0,64})?[\\/]+(?![\\/])`;

/**
 * Patterns of secrets in any text. `mark` occurs in every match: most texts do not contain it, and testing for it takes
 * a tenth of the time. Every pattern takes linear time.
 */
const FORMS: readonly { readonly mark: RegExp; readonly form: RegExp }[] = [
  withMark(/eyJ/, JWT),
  withMark(/[\\/]/, SEGMENTS),
  // Credentials (RFC 9110 11.4), but not the parameters of a challenge; and `response` of Digest (RFC 7616 3.4.1).
  withMark(
    /[\s+]/,
    String.raw`(?<![\w-])(?:basic|bearer|dpop|negotiate|token)[\s+]+[\w.~+/-]{8,}(?![\w.~+/-]|=+["']?\w)`,
  ),
  withMark(/=/, String.raw`(?<!\w)response\s*=\s*"?[\da-f]{32}`),
  // User information, even without its final `@`: something other than digits after the colon is no port.
  withMark(/\/\//, String.raw`//(?!\[redacted\]@)(?:[^/?#\s@]+@|[^/?#\s@:[]+:\d*[a-z%])`),
  withMark(/@/, String.raw`(?<![^\s/:@])[^\s/:@]+(?<!mailto|["']):[^\s/:@]+@`),
  // A parameter or member, such as `token=`, `"token":` or `token: `, but neither an inner list (RFC 9651 3.1.1) nor a
  // host with a port.
  withMark(
    /[=:]/,
    String.raw`(?:${SECRET.source})[\w.[\]-]{0,64}(?:["'\s\\]{0,8}=(?!\()|["'\s\\]{1,8}:|:(?!\d{1,5}(?![\w.])))[\s=]*[^\s=]`,
  ),
];

const SECRET_SEGMENTS = new RegExp(`(${SEGMENTS})[^]+`, 'i');
/** Paths whose query parameters are cookies. */
const SECRET_QUERY = /cookies[\\/]+set(?:;[^\\/]{0,64})?[\\/]*$/i;

/** JSON Web Tokens in a path, with signature. */
const TOKENS = new RegExp(String.raw`${JWT}[\w-]*`, 'g');

/** A parameter of a path segment (RFC 3986 3.3), as Java's `;jsessionid=`. */
const PATH_PARAMETER = /;([^;=/]*)=([^;/?]+)/g;

const ORIGIN = /^[a-z]+:\/\/[^/?#]*/i;
const ABSOLUTE = /^(?:[a-z][\w+.-]*:\/\/[^/?#]*)?/i;
/** User information of an authority or a URL (RFC 3986 3.2.1). */
const USER = /^((?:(?:[a-z][\w+.-]*:)?\/\/)?)[^/?#]*@/i;

/** @param source of a regular expression */
function withMark(mark: RegExp, source: string) {
  return { mark, form: new RegExp(source, 'i') };
}

/** Redacts the value of a field whose name indicates a secret, and secrets in other values. */
export function redactField(name: string, value: string): string {
  if (SECRET.test(name)) return redact(value);
  const lowerName = name.trim().toLowerCase();
  // Values with a URL: a redirect often repeats the query of its request, and proxies send it in fields.
  if (/(?:location|destination|path|ur[il])$/.test(lowerName)) {
    return redactTarget(value, redactLine);
  }
  if (lowerName === 'refresh') return redactLine(value);
  if (lowerName.endsWith('query-string')) return redactQuery(value);
  if (lowerName === 'host' || lowerName === ':authority') {
    // Something other than digits after the colon is no port, but may be a password whose `@` is missing.
    return redactUser(value).replace(/^[^:[]*:\d*\D.*/s, REDACTED);
  }
  if (lowerName === 'referer') {
    // Only the origin of Referer is kept: its path and query may contain secrets.
    const [origin = ''] = ORIGIN.exec(value) ?? [];
    return redactUser(origin === value ? value : `${origin}/${REDACTED}`);
  }
  // Browsers can send a token for a WebSocket only in Sec-WebSocket-Protocol.
  const isToken = lowerName === 'sec-websocket-protocol' && (SECRET.test(value) || hasToken(value));
  return isToken || hasSecret(value) ? redact(value) : value;
}

/**
 * Redacts secrets in a request target: user information, and secrets in path and query.
 *
 * @param ofPath redacts further parts of the path
 */
export function redactTarget(target: string, ofPath = (path: string) => path): string {
  // A request has no fragment (RFC 9110 7.1), but a client may send one.
  const hash = target.indexOf('#');
  if (hash >= 0) {
    return `${redactTarget(target.slice(0, hash), ofPath)}#${redactQuery(target.slice(hash + 1))}`;
  }
  const mark = target.indexOf('?');
  const shown = redactUser(mark < 0 ? target : target.slice(0, mark));
  const [origin = ''] = ABSOLUTE.exec(shown) ?? [];
  const path = shown.slice(origin.length);
  const query = mark < 0 ? '' : `?${redactQuery(target.slice(mark + 1), path)}`;
  return origin + redactPath(ofPath(path)) + query;
}

/**
 * Redacts secrets in a path: segments after those of `SEGMENTS`, and path parameters whose names or values look secret.
 * The whole path, if a secret is percent-encoded.
 */
export function redactPath(path: string): string {
  const shown = redactSegments(path);
  const [decoded] = decodings(shown);
  return decoded === shown || redactSegments(decoded) === decoded ? shown : `/${REDACTED}`;
}

function redactSegments(path: string): string {
  return path
    .replace(SECRET_SEGMENTS, `$1${REDACTED}`)
    .replace(TOKENS, REDACTED)
    .replace(PATH_PARAMETER, (parameter, name: string, value: string) =>
      SECRET.test(name) || isSecretValue(value) ? `;${name}=${REDACTED}` : parameter,
    );
}

function redactUser(text: string): string {
  return text.replace(USER, `$1${REDACTED}@`);
}

/** Redacts query parameters whose names or values look secret; for /cookies/set all of them. */
export function redactQuery(query: string, path = ''): string {
  const areCookies = SECRET_QUERY.test(decodings(path)[0]);
  return query
    .split('&')
    .map((parameter) => redactParameter(parameter, areCookies))
    .join('&');
}

function redactParameter(parameter: string, isCookie: boolean): string {
  const [name = '', ...rest] = parameter.split('=');
  const value = rest.join('=');
  if (isSecretValue(name)) return REDACTED;
  const isSecret =
    isCookie ||
    isSecretValue(value) ||
    decodings(name).some(
      (each) => SECRET.test(each) || (each === 'code' && isAuthorizationCode(value)),
    );
  return isSecret && value !== '' ? `${name}=${REDACTED}` : parameter;
}

/** Ways to read a text: decoded twice, as proxies may do, once, and unchanged. Malformed escapes stay. */
function decodings(text: string): readonly [string, ...string[]] {
  if (!text.includes('%')) return [text];
  const decoded = decodeEscapes(text, 'latin1');
  return [decodeEscapes(decoded, 'latin1'), decoded, text];
}

/** Whether any text contains a secret. */
function hasSecret(text: string): boolean {
  return decodings(text).some((each) =>
    FORMS.some(({ mark, form }) => mark.test(each) && form.test(each)),
  );
}

function isSecretValue(value: string): boolean {
  return hasSecret(value) || hasToken(decodings(value)[0]);
}

/** Whether the value of `code` looks like an authorization code (RFC 6749 4.1.2), not like a status or error code. */
function isAuthorizationCode(value: string): boolean {
  // Matches whole runs, because a lookahead would start again at each character: quadratic time.
  return (decodings(value)[0].match(/[a-z\d-]{10,}/gi) ?? []).some(isMixed);
}

/** Whether a text contains a long run of characters like a key in base64 or hex: with both letters and digits. */
function hasToken(value: string): boolean {
  const runs = (value.match(/\w{20,}/g) ?? []).filter(isMixed);
  return runs.some((run) => run.length >= 32 || (/[a-z]/.test(run) && /[A-Z]/.test(run)));
}

/** Whether there are both letters and digits. */
function isMixed(run: string): boolean {
  return /\d/.test(run) && /[a-z]/i.test(run);
}

/** Replaces a value with `[redacted]`, unless it is empty. */
export function redact(secret: string): string {
  return secret === '' ? '' : REDACTED;
}

/** Redacts a line that is not a field line: all text after a query mark or a word like "cookie", or a secret value. */
export function redactLine(line: string): string {
  const match = SECRET_OR_QUERY.exec(line);
  const end = match ? match.index + match[0].length : line.length;
  const begin = line.slice(0, end);
  return (hasSecret(begin) ? REDACTED : begin) + redact(line.slice(end));
}
