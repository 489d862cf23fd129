import { createHmac } from 'node:crypto';
import { authorizationParameters } from '../../http/authorization.ts';
import { parseQuery, percentDecode, type QueryPairs } from '../../http/query.ts';
import type { Request } from '../../server/request.ts';
import { forwardedOrigin } from '../forwarded.ts';

/** The credentials that Postman publishes for /oauth1. */
const CONSUMER_KEY = 'RKCGzna7bv9YD57c';
const CONSUMER_SECRET = 'D+EdQ-gs$-%@2Nu7';

/** What the signature of a request was compared with (RFC 5849 3.4), and whether it is valid. */
interface Verification {
  readonly isValid: boolean;
  /** The parts, by the names that Postman Echo shows. */
  readonly parts: Readonly<Record<string, string>>;
}

/** Verifies an HMAC-SHA1 signature (RFC 5849 3.4.2) by the published consumer, without a token. */
export function verifyOAuth1(request: Request): Verification {
  const { method, target } = request;
  const pairs = [...parseQuery(target?.query ?? ''), ...sentParameters(request)];
  const sent = new Map(pairs);
  const signed = pairs
    .filter(([name]) => name !== 'oauth_signature')
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([name, value], [other, otherValue]) =>
      name === other ? compare(value, otherValue) : compare(name, other),
    );
  const baseUri = `${normalized(forwardedOrigin(request))}${target?.path ?? ''}`;
  const parameters = signed.map((pair) => pair.join('=')).join('&');
  const baseString = [method.toUpperCase(), baseUri, parameters].map(encode).join('&');
  const key = `${encode(CONSUMER_SECRET)}&`;
  const expected = createHmac('sha1', key).update(baseString).digest('base64');
  return {
    isValid:
      sent.get('oauth_consumer_key') === CONSUMER_KEY &&
      sent.get('oauth_signature_method') === 'HMAC-SHA1' &&
      sent.get('oauth_signature') === expected,
    parts: {
      base_uri: baseUri,
      normalized_param_string: parameters,
      base_string: baseString,
      signing_key: key,
    },
  };
}

/** The decoded parameters of Authorization (RFC 5849 3.5.1), without the realm, which is not signed. */
function sentParameters({ fields }: Request): QueryPairs {
  const sent = [...(authorizationParameters(fields, 'oauth') ?? [])];
  return sent
    .filter(([name]) => name !== 'realm')
    .map(([name, value]): [string, string] => [name, percentDecode(value) ?? value]);
}

/** Scheme and host in lower case, without the default port (RFC 5849 3.4.1.2). */
function normalized(origin: string): string {
  const lower = origin.toLowerCase();
  return lower.replace(lower.startsWith('https:') ? /:443$/ : /:80$/, '');
}

/** Percent-encodes all but unreserved characters (RFC 5849 3.6). */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
