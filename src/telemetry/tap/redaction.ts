import { decodeEscapes } from '../../http/query.ts';

export const REDACTED = '[redacted]';

/** In names of fields and parameters whose values are secret, anywhere. */
const PARTS = [
  'authorization',
  'cookie',
  'token(?!s)',
  'secret',
  'passw(?:or)?d',
  'passphrase',
  'passcode',
  // Access-Control-Allow-Credentials is true or absent.
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

/** The same, as words of their own. */
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

/** The header and payload of a JSON Web Token (RFC 7519), with the dots that end them. */
const JWT = String.raw`(?<![\w-])eyJ[\w-]{8,}\.[\w-]*\.`;

/** Before segments that are secret: in paths of endpoints for authentication and cookies, and in those that are nearly theirs. */
const SEGMENTS = String.raw`(?:basic-auth|digest-auth|cookies[\\/]+set)(?:;[^\\/]{0,64})?[\\/]+(?![\\/])`;

/**
 * Secrets in any text, whatever stands before them, each with a mark that every match contains: most texts have none,
 * and testing for it takes a tenth of the time. Each takes linear time.
 */
const FORMS: readonly { readonly mark: RegExp; readonly form: RegExp }[] = [
  withMark(/eyJ/, JWT),
  withMark(/[\\/]/, SEGMENTS),
  // Credentials (RFC 9110 11.4), but no parameters of a challenge, and the response of Digest (RFC 7616 3.4.1).
  withMark(
    /[\s+]/,
    String.raw`(?<![\w-])(?:basic|bearer|dpop|negotiate|token)[\s+]+[\w.~+/-]{8,}(?![\w.~+/-]|=+["']?\w)`,
  ),
  withMark(/=/, String.raw`(?<!\w)response\s*=\s*"?[\da-f]{32}`),
  // User information, perhaps without the `@` that ends it: a port has only digits.
  withMark(/\/\//, String.raw`//(?!\[redacted\]@)(?:[^/?#\s@]+@|[^/?#\s@:[]+:\d*[a-z%])`),
  withMark(/@/, String.raw`(?<![^\s/:@])[^\s/:@]+(?<!mailto|["']):[^\s/:@]+@`),
  // A parameter or member, such as `token=`, `"token":` or `token: `, but no inner list (RFC 9651 3.1.1) and no
  // host with a port.
  withMark(
    /[=:]/,
    String.raw`(?:${SECRET.source})[\w.[\]-]{0,64}(?:["'\s\\]{0,8}=(?!\()|["'\s\\]{1,8}:|:(?!\d{1,5}(?![\w.])))[\s=]*[^\s=]`,
  ),
];

const SECRET_SEGMENTS = new RegExp(`(${SEGMENTS})[^]+`, 'i');
/** A path whose parameters are cookies. */
const SECRET_QUERY = /cookies[\\/]+set(?:;[^\\/]{0,64})?[\\/]*$/i;

/** JSON Web Tokens in a path, with their signatures. */
const TOKENS = new RegExp(String.raw`${JWT}[\w-]*`, 'g');

/** A parameter of a path segment (RFC 3986 3.3), as Java's `;jsessionid=`. */
const PATH_PARAMETER = /;([^;=/]*)=([^;/?]+)/g;

const ORIGIN = /^[a-z]+:\/\/[^/?#]*/i;
const ABSOLUTE = /^(?:[a-z][\w+.-]*:\/\/[^/?#]*)?/i;
/** User information of an authority or a URL (RFC 3986 3.2.1). */
const USER = /^((?:(?:[a-z][\w+.-]*:)?\/\/)?)[^/?#]*@/i;

/** @param source of an expression */
function withMark(mark: RegExp, source: string) {
  return { mark, form: new RegExp(source, 'i') };
}

/** Redacts the value of a field whose name indicates a secret, and secrets in other values. */
export function redactField(name: string, value: string): string {
  if (SECRET.test(name)) return redact(value);
  const lowerName = name.trim().toLowerCase();
  // A redirect often repeats the query of its request, and so do the fields of proxies.
  if (/(?:location|destination|path|ur[il])$/.test(lowerName)) {
    return redactTarget(value, redactLine);
  }
  if (lowerName === 'refresh') return redactLine(value);
  if (lowerName.endsWith('query-string')) return redactQuery(value);
  if (lowerName === 'host' || lowerName === ':authority') {
    // What is no port may be a password without the `@` that ends it.
    return redactUser(value).replace(/^[^:[]*:\d*\D.*/s, REDACTED);
  }
  if (lowerName === 'referer') {
    // Its path and query can contain secrets.
    const [origin = ''] = ORIGIN.exec(value) ?? [];
    return redactUser(origin === value ? value : `${origin}/${REDACTED}`);
  }
  // Browsers can send a token for a WebSocket in no other field.
  const isToken = lowerName === 'sec-websocket-protocol' && (SECRET.test(value) || hasToken(value));
  return isToken || hasSecret(value) ? redact(value) : value;
}

/**
 * Redacts secrets in a request target: user information, in the path, and values in the query.
 *
 * @param ofPath redacts more of the path
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
 * Redacts the segments of a path that are secret by what is before them, and its parameters whose names or
 * forms indicate a secret; all of a path where they are encoded.
 */
export function redactPath(path: string): string {
  const shown = redactSegments(path);
  const [decoded] = readings(shown);
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

/** Redacts the values of a query whose names or forms indicate a secret; of /cookies/set all. */
export function redactQuery(query: string, path = ''): string {
  const areCookies = SECRET_QUERY.test(readings(path)[0]);
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
    readings(name).some(
      (each) => SECRET.test(each) || (each === 'code' && isAuthorizationCode(value)),
    );
  return isSecret && value !== '' ? `${name}=${REDACTED}` : parameter;
}

/** A text decoded twice, as what stands in front may do, once, and as it is. Malformed escapes stay. */
function readings(text: string): readonly [string, ...string[]] {
  if (!text.includes('%')) return [text];
  const decoded = decodeEscapes(text, 'latin1');
  return [decodeEscapes(decoded, 'latin1'), decoded, text];
}

/** Whether there is a secret in a text of any kind. */
function hasSecret(text: string): boolean {
  return readings(text).some((each) =>
    FORMS.some(({ mark, form }) => mark.test(each) && form.test(each)),
  );
}

function isSecretValue(value: string): boolean {
  return hasSecret(value) || hasToken(readings(value)[0]);
}

/** Whether the value of `code` is one of RFC 6749 4.1.2, and not a status or the name of an error code. */
function isAuthorizationCode(value: string): boolean {
  // Matches whole runs: a lookahead would start again at each character, which takes quadratic time.
  return (readings(value)[0].match(/[a-z\d-]{10,}/gi) ?? []).some(isMixed);
}

/** Whether there is a long run of characters as of a key: in base64 or hex, but no number and no word. */
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
