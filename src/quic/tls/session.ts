import { HASH_LENGTH } from '../../wire/tls/hkdf.ts';
import { suiteHash, type CipherSuite } from './cipher-suite.ts';
import type { OfferedPsk } from './client-hello.ts';
import { pskBinder } from './key-schedule.ts';

/** What a client keeps with a ticket. Use it once (RFC 9846 C.4). */
export interface Session {
  readonly suite: CipherSuite;
  readonly ticket: Uint8Array;
  readonly psk: Uint8Array;
  readonly ageAdd: number;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly serverName: string | undefined;
  /** The host that the server's certificate was verified for; undefined if it was not. */
  readonly verifiedHost: string | undefined;
}

/** The longest time for which a ticket may be used (RFC 9846 4.7.1), in seconds. */
export const MAX_TICKET_LIFETIME = 7 * 24 * 60 * 60;

/**
 * The PSK of a session as a ClientHello offers it.
 *
 * @param transcript hash of the messages before, and of the ClientHello up to the identities
 * @param now milliseconds since the epoch
 */
export function offeredPsk(
  { suite, psk, ticket, ageAdd, receivedAt }: Session,
  transcript: (truncatedHello: Uint8Array) => Uint8Array,
  now: number,
): OfferedPsk {
  const hash = suiteHash(suite);
  return {
    identity: ticket,
    obfuscatedAge: (Math.max(0, Math.floor(now - receivedAt)) + ageAdd) % 2 ** 32,
    binderLength: HASH_LENGTH[hash],
    binder: (truncatedHello) => pskBinder(hash, psk, transcript(truncatedHello)),
  };
}
