import { parseQuery } from '../../http/query.ts';

const REDACTED = '[redacted]';

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

/** Secret whatever the name: a JWT, credentials with their scheme, `user:password@`. */
const SECRET_VALUE = new RegExp(
  String.raw`${JWT}|^(?:basic|bearer|dpop|negotiate|token)\s+[\w.~+/-]{8,}=*$|//[^/?#\s@]+@|^(?!mailto:)[^\s/:@]+:[^\s/@]+@`,
  'i',
);

/** Before segments that are secret: in paths of endpoints for authentication and cookies, and in those that are nearly theirs. */
const SECRET_SEGMENTS = /(?:basic-auth|digest-auth|cookies[\\/]+set)(?:;[^\\/]{0,64})?[\\/]+/i;
/** A path whose parameters are cookies. */
const SECRET_QUERY = /cookies[\\/]+set(?:;[^\\/]{0,64})?[\\/]*$/i;

/** JSON Web Tokens in a path, with their signatures. */
const TOKENS = new RegExp(String.raw`${JWT}[\w-]*`, 'g');

/** A parameter of a path segment (RFC 3986 3.3), as Java's `;jsessionid=`. */
const PATH_PARAMETER = /;([^;=/]*)=([^;/?]+)/g;

const ORIGIN = /^[a-z]+:\/\/[^/?#]*/i;
const ABSOLUTE = /^(?:[a-z][\w+.-]*:\/\/[^/?#]*)?/i;
const USER = /^((?:(?:[a-z][\w+.-]*:)?\/\/)?)[^/?#]*@/i;

/** Redacts the value of a field whose name indicates a secret, and secrets in other values. */
export function redactField(name: string, value: string): string {
  if (SECRET.test(name)) return redact(value);
  const lowerName = name.toLowerCase();
  // A redirect often repeats the query of its request, and so do the fields of proxies.
  if (/(?:location|destination|path|ur[il])$/.test(lowerName)) {
    return redactTarget(value, redactLine);
  }
  if (lowerName === 'refresh') return redactLine(value);
  if (lowerName.endsWith('query-string')) return redactQuery(value);
  if (lowerName === 'host' || lowerName === ':authority') return redactUser(value);
  if (lowerName !== 'referer') return isSecretFieldValue(lowerName, value) ? redact(value) : value;
  // The path and query of a Referer can contain secrets.
  const [origin = ''] = ORIGIN.exec(value) ?? [];
  return redactUser(origin === value ? value : `${origin}/${REDACTED}`);
}

function isSecretFieldValue(lowerName: string, value: string): boolean {
  // Browsers can send a token for a WebSocket in no other field.
  if (lowerName === 'sec-websocket-protocol') return SECRET.test(value) || hasToken(value);
  return SECRET_VALUE.test(value) || (lowerName === 'link' && hasSecretName(value));
}

/**
 * Redacts secrets in a request target: user information, in the path, and values in the query.
 *
 * @param ofPath redacts the path but for its parameters
 */
export function redactTarget(target: string, ofPath = redactSegments): string {
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
  return origin + redactPathParameters(ofPath(path)) + query;
}

/**
 * Redacts the segments of a path that are secret by what is before them, and its parameters whose names or
 * forms indicate a secret.
 */
export function redactPath(path: string): string {
  const shown = redactSegments(path);
  return shown.includes(';') ? redactPathParameters(shown) : shown;
}

function redactSegments(path: string): string {
  const found = SECRET_SEGMENTS.exec(path);
  if (found) {
    const end = found.index + found[0].length;
    return path.slice(0, end) + redact(path.slice(end));
  }
  if (path.includes('%')) {
    // Encoded twice, it may be decoded by what stands in front.
    const decoded = withoutEscapes(withoutEscapes(path));
    const isSecret = SECRET_SEGMENTS.test(decoded) || redactPathParameters(decoded) !== decoded;
    if (isSecret) return `/${REDACTED}`;
  }
  return path.replace(TOKENS, REDACTED);
}

/** Malformed escapes are left as they are. */
function withoutEscapes(path: string): string {
  return path.replace(/%([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function redactPathParameters(path: string): string {
  return path.replace(PATH_PARAMETER, (parameter, name: string, value: string) =>
    SECRET.test(name) || isSecretValue(value) ? `;${name}=${REDACTED}` : parameter,
  );
}

/** Redacts the user information of an authority or a URL (RFC 3986 3.2.1). */
function redactUser(text: string): string {
  return text.includes('@') ? text.replace(USER, `$1${REDACTED}@`) : text;
}

/** Redacts the values of a query whose names or forms indicate a secret; of /cookies/set all. */
export function redactQuery(query: string, path = ''): string {
  if (query === '') return '';
  const isSecret = SECRET_QUERY.test(withoutEscapes(path));
  const redactOne = isSecret ? redactValue : redactParameter;
  return query.split('&').map(redactOne).join('&');
}

function redactValue(parameter: string): string {
  const end = parameter.indexOf('=') + 1;
  return end === 0 ? parameter : parameter.slice(0, end) + redact(parameter.slice(end));
}

function redactParameter(parameter: string): string {
  const [[name, value] = ['', '']] = parseQuery(parameter);
  if (isSecretValue(name)) return redact(parameter);
  // Encoded twice, it may be decoded by what stands in front.
  const [[decoded] = ['']] = parseQuery(name);
  const isSecret =
    SECRET.test(name) ||
    SECRET.test(decoded) ||
    isSecretValue(value) ||
    (value.includes('%') && isSecretValue(withoutEscapes(value))) ||
    SECRET_SEGMENTS.test(value);
  if (!isSecret && !(name === 'code' && isAuthorizationCode(value))) return parameter;
  return redactValue(parameter);
}

function isSecretValue(value: string): boolean {
  return SECRET_VALUE.test(value) || hasToken(value) || hasSecretName(value);
}

/** Whether the value of `code` is one of RFC 6749 4.1.2, and not a status or the name of an error code. */
function isAuthorizationCode(value: string): boolean {
  // Matches whole runs: a lookahead would start again at each character, which takes quadratic time.
  return (value.match(/[a-z\d-]{10,}/gi) ?? []).some(isMixed);
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

/** Characters of a name in a value. */
const MAX_NAME = 64;

/** Whether a value has parameters or members of its own, such as a URL or JSON, with a secret. */
function hasSecretName(value: string): boolean {
  const names = value.split(/[=:]/).slice(0, -1);
  return names.some((text) => {
    const [name = ''] = /[\w.-]+["'\s]*$/.exec(text.slice(-MAX_NAME)) ?? [];
    return SECRET.test(name);
  });
}

/** Replaces a value with `[redacted]`, unless it is empty. */
export function redact(secret: string): string {
  return secret === '' ? '' : REDACTED;
}

/** Redacts a line that is not a field line: all text after a query mark or a word like "cookie", or a secret value. */
export function redactLine(line: string): string {
  const match = SECRET_OR_QUERY.exec(line);
  if (!match) {
    // User information in it may have been redacted.
    const shown = line.replaceAll(REDACTED, '');
    const value = shown.slice(shown.indexOf(':') + 1).trim();
    return SECRET_VALUE.test(shown) || SECRET_VALUE.test(value) ? redact(line) : line;
  }
  const end = match.index + match[0].length;
  return line.slice(0, end) + redact(line.slice(end));
}
