import { hash } from 'node:crypto';
import { authorizationParameters } from './authorization.ts';
import type { FieldLines } from './fields.ts';
import { percentDecode } from './query.ts';

/**
 * Node's hash names by algorithm, from RFC 7616 and, for SHA-512, from httpbin. With `-sess`, the key also depends on
 * nonce and cnonce (3.4.2).
 */
const HASHES = {
  MD5: 'md5',
  'MD5-sess': 'md5',
  'SHA-256': 'sha256',
  'SHA-256-sess': 'sha256',
  'SHA-512-256': 'sha512-256',
  'SHA-512-256-sess': 'sha512-256',
  'SHA-512': 'sha512',
  'SHA-512-sess': 'sha512',
} as const;

export type DigestAlgorithm = keyof typeof HASHES;

export const digestAlgorithms: readonly DigestAlgorithm[] = Object.keys(HASHES).filter(isAlgorithm);

function isAlgorithm(name: string): name is DigestAlgorithm {
  return Object.hasOwn(HASHES, name);
}

/** Parameters of the client that the response hash includes. */
export interface DigestParameters {
  readonly uri: string;
  readonly nonce: string;
  /** Nonce count: eight hexadecimal digits as sent. */
  readonly nc: string;
  readonly cnonce: string;
  readonly qop: string;
}

/** The expected user and password. */
export interface Account {
  readonly user: string;
  readonly realm: string;
  readonly passwd: string;
}

/**
 * The expected `response` (RFC 7616 3.4.1) in lower-case hexadecimal.
 *
 * @param content the request content, which is hashed only for qop `auth-int`
 */
export function digestResponse(
  algorithm: DigestAlgorithm,
  { user, realm, passwd }: Account,
  { uri, nonce, nc, cnonce, qop }: DigestParameters,
  method: string,
  content: Uint8Array,
): string {
  const name = HASHES[algorithm];
  const secret = hash(name, `${user}:${realm}:${passwd}`);
  const key = algorithm.endsWith('-sess') ? hash(name, `${secret}:${nonce}:${cnonce}`) : secret;
  const message = `${method}:${uri}`;
  const whole = qop === 'auth-int' ? `${message}:${hash(name, content)}` : message;
  return hash(name, `${key}:${nonce}:${nc}:${cnonce}:${qop}:${hash(name, whole)}`);
}

/** The expected username if userhash is true (RFC 7616 3.4.4). */
export function hashUsername(algorithm: DigestAlgorithm, { user, realm }: Account): string {
  return hash(HASHES[algorithm], `${user}:${realm}`);
}

/** The parameters of a client's credentials (RFC 7616 3.4). */
export interface DigestCredentials extends DigestParameters {
  readonly username: string;
  /** Whether the username is hashed. */
  readonly userhash: boolean;
  readonly realm: string;
  readonly algorithm: string;
  readonly response: string;
}

/** Reads the Digest credentials of a request. @returns an error message if they are missing or malformed */
export function readDigestCredentials(fields: FieldLines): DigestCredentials | string {
  const parameters = authorizationParameters(fields, 'digest');
  if (!parameters) return 'the request has no Digest credentials';
  const missing = REQUIRED.find((name) => !parameters.get(name));
  if (missing !== undefined) return `the credentials have no ${missing}`;
  const text = (name: string): string => parameters.get(name) ?? '';
  const username = parameters.get('username') ?? parseExtendedValue(text('username*'));
  if (username === undefined) return 'the credentials have no username';
  const userhash = text('userhash').toLowerCase() === 'true';
  const algorithm = parameters.get('algorithm') ?? 'MD5';
  const [realm, nonce, uri] = [text('realm'), text('nonce'), text('uri')];
  const [response, qop, nc, cnonce] = [text('response'), text('qop'), text('nc'), text('cnonce')];
  return { username, userhash, realm, nonce, uri, response, algorithm, qop, nc, cnonce };
}

// RFC 2069 does not have the last three, RFC 7616 requires them.
const REQUIRED = ['realm', 'nonce', 'uri', 'response', 'qop', 'nc', 'cnonce'] as const;

/** Decodes an ext-value (RFC 8187 3.2.1); undefined if malformed or not UTF-8. */
function parseExtendedValue(value: string): string | undefined {
  const [, text] = /^utf-8'[\w-]*'([^']*)$/i.exec(value) ?? [];
  return text === undefined ? undefined : percentDecode(text);
}
