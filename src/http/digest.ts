import { hash } from 'node:crypto';
import { authorizationParameters } from './authorization.ts';
import type { FieldLines } from './fields.ts';
import { percentDecode } from './query.ts';

/**
 * Node's name of each algorithm's hash. RFC 7616 has all but SHA-512, which is httpbin's; those with
 * `-sess` make the key of nonce and cnonce too (3.4.2).
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

/** What the client says in its credentials, and signs with them. */
export interface DigestParameters {
  readonly uri: string;
  readonly nonce: string;
  /** Eight hexadecimal digits, as sent. */
  readonly nc: string;
  readonly cnonce: string;
  readonly qop: string;
}

/** Whose credentials they have to be. */
export interface Account {
  readonly user: string;
  readonly realm: string;
  readonly passwd: string;
}

/**
 * The response that proves the password (RFC 7616 3.4.1), in lower-case hexadecimal.
 *
 * @param content the request's, which counts with the qop `auth-int` alone
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

/** What stands for the name of a user where names are hashed (RFC 7616 3.4.4). */
export function hashUsername(algorithm: DigestAlgorithm, { user, realm }: Account): string {
  return hash(HASHES[algorithm], `${user}:${realm}`);
}

/** The parameters of a client's credentials (RFC 7616 3.4). */
export interface DigestCredentials extends DigestParameters {
  readonly username: string;
  /** Whether the name is hashed. */
  readonly userhash: boolean;
  readonly realm: string;
  readonly algorithm: string;
  readonly response: string;
}

/** Reads a request's Digest credentials. @returns what is wrong with them, in words, where they are none */
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

// RFC 2069 did without the last three; RFC 7616 does not.
const REQUIRED = ['realm', 'nonce', 'uri', 'response', 'qop', 'nc', 'cnonce'] as const;

/** Text as `username*` has it (RFC 8187 3.2.1); undefined where it is none, or in another charset. */
function parseExtendedValue(value: string): string | undefined {
  const [, text] = /^utf-8'[\w-]*'([^']*)$/i.exec(value) ?? [];
  return text === undefined ? undefined : percentDecode(text);
}
