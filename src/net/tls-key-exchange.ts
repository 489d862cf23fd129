import type { TLSSocket } from 'node:tls';
import { groupName, isRegisteredGroup, versionName } from '../wire/tls/names.ts';
import { groupOfSession } from '../wire/tls/openssl-session.ts';
import type { ServerFlight } from '../wire/tls/server-flight.ts';
import { isSslFreed } from './node-internals.ts';
import type { HelloFacts } from './stored-hello.ts';

/** The key exchange of a TLS handshake. */
export interface KeyExchange {
  /** Node's name of the version, such as `TLSv1.3`; null if it is not known. */
  readonly version: string | null;
  /** NamedGroup (RFC 9846 4.3.7); undefined without one, or if it is not known. */
  readonly group: number | undefined;
  /** Why there is no group; undefined if there is one. */
  readonly reason: string | undefined;
}

/** Of a connection without TLS, or before the handshake. */
export const NO_KEY_EXCHANGE: KeyExchange = {
  version: null,
  group: undefined,
  reason: 'no TLS handshake was completed',
};

const CLOSED: KeyExchange = {
  version: null,
  group: undefined,
  reason: 'the connection had closed before the group was read',
};

/**
 * The key exchange of a handshake, read from its session in about 5 µs. Node exposes the group to clients only
 * (`getEphemeralKeyInfo`). Once the socket is closed, nothing is known.
 *
 * @param isComplete whether the handshake is complete. Until then, a session that is resumed may still have the group
 * of its first handshake, so its group is not known.
 */
export function keyExchangeOf(tls: TLSSocket, isComplete: boolean): KeyExchange {
  if (isSslFreed(tls)) return CLOSED;
  const version = tls.getProtocol();
  const isResumed = tls.isSessionReused();
  if (version !== 'TLSv1.3' && isResumed) {
    return {
      version,
      group: undefined,
      reason: `${version} resumes a session without key exchange`,
    };
  }
  const session = isComplete || !isResumed ? tls.getSession() : undefined;
  const group = session && groupOfSession(session);
  if (group) return { version, group, reason: undefined };
  // OpenSSL writes 0 for RSA and DHE. In TLS 1.3 there is always a group, unless it has not been chosen yet.
  const reason =
    group === 0 && version !== 'TLSv1.3'
      ? `${tls.getCipher().standardName} has no named group`
      : 'Node does not expose the session';
  return { version, group: undefined, reason };
}

/** The key exchange of a handshake that was read from the bytes; undefined if no group was chosen. */
export function keyExchangeRead({ version, group }: ServerFlight): KeyExchange | undefined {
  if (group === undefined) return undefined;
  return { version: versionName(version), group, reason: undefined };
}

/** The registered name of the group; null without a group. */
export function negotiatedGroupName({ group }: KeyExchange): string | null {
  return group === undefined ? null : groupName(group);
}

/**
 * Whether a HelloRetryRequest was sent, which is only the case if the first ClientHello has no key share for the group
 * (RFC 9846 4.2.4).
 *
 * @param hello the first ClientHello; undefined if it is not valid
 * @returns null if it is not known
 */
export function sentHelloRetryRequest(
  { version, group }: KeyExchange,
  hello: HelloFacts | undefined,
): boolean | null {
  if (version !== null && version !== 'TLSv1.3') return false;
  if (group === undefined || !hello) return null;
  if (!isRegisteredGroup(group)) return null;
  return !hello.keyShareGroups.includes(group);
}
