import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Connection } from '../wire/connection.ts';

/** Milliseconds a nonce is good for. */
const LIFETIME = 5 * 60 * 1000;

/** Octets of a nonce: when it was issued, what makes it unique, what proves it ours. */
const TIME = 6;
const UNIQUE = 8;
const PROOF = 16;

/** How many nonces of a connection have their counts kept, the latest first seen. */
const KEPT = 8;
/** How far a count may come behind the highest: requests of one client may overtake each other. */
const WINDOW = 32;

interface Counts {
  highest: number;
  /** Bit n is set where the count `highest` - n has come. */
  seen: number;
}

/**
 * Nonces of Digest authentication (RFC 7616 3.3), which prove themselves: nothing is kept of those
 * that are issued, and every process with the key knows them.
 *
 * Counts are kept for as long as the connection that brought them: a request that is replayed on it
 * is told from a new one. On another connection it is not, up to the nonce's end: who wants that has
 * a count of one allowed.
 */
export class Nonces {
  readonly #key: Uint8Array;
  readonly #counts = new WeakMap<Connection, Map<string, Counts>>();

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** @param now milliseconds since 1970 */
  issue(now: number): string {
    const octets = Buffer.allocUnsafe(TIME + UNIQUE + PROOF);
    octets.writeUIntBE(now, 0, TIME);
    randomBytes(UNIQUE).copy(octets, TIME);
    this.#proofOf(octets).copy(octets, TIME + UNIQUE);
    return octets.toString('base64url');
  }

  /** Whether the nonce is one of ours and still good. */
  isGood(nonce: string, now: number): boolean {
    const octets = Buffer.from(nonce, 'base64url');
    if (octets.length !== TIME + UNIQUE + PROOF) return false;
    const age = now - octets.readUIntBE(0, TIME);
    if (age < -LIFETIME || age > LIFETIME) return false;
    return timingSafeEqual(octets.subarray(TIME + UNIQUE), this.#proofOf(octets));
  }

  /**
   * Notes the count of a nonce that is good (RFC 7616 3.4, `nc`).
   *
   * @returns false where this connection has brought it before
   */
  take(connection: Connection, nonce: string, count: number): boolean {
    const counts = this.#countsOf(connection, nonce);
    const ahead = count - counts.highest;
    if (ahead > 0) {
      counts.seen = ahead < WINDOW ? (counts.seen << ahead) | 1 : 1;
      counts.highest = count;
      return true;
    }
    const bit = -ahead < WINDOW ? 1 << -ahead : 0;
    if (bit === 0 || (counts.seen & bit) !== 0) return false;
    counts.seen |= bit;
    return true;
  }

  #countsOf(connection: Connection, nonce: string): Counts {
    let nonces = this.#counts.get(connection);
    if (!nonces) this.#counts.set(connection, (nonces = new Map()));
    let counts = nonces.get(nonce);
    if (!counts) {
      const [oldest] = nonces.keys();
      if (nonces.size === KEPT && oldest !== undefined) nonces.delete(oldest);
      nonces.set(nonce, (counts = { highest: 0, seen: 0 }));
    }
    return counts;
  }

  #proofOf(octets: Buffer): Buffer {
    const hmac = createHmac('sha256', this.#key).update(octets.subarray(0, TIME + UNIQUE));
    return hmac.digest().subarray(0, PROOF);
  }
}
