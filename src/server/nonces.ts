import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Connection } from '../net/connection.ts';

/** Milliseconds a nonce is good for. */
const LIFETIME = 5 * 60 * 1000;

/** Bytes of a nonce: when it was issued, and what makes it unique. */
const TIME = 6;
const UNIQUE = 9;
/** Characters of base64: of those bytes, and of what proves them ours. */
const HEAD = ((TIME + UNIQUE) / 3) * 4;
const PROOF = 22;

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
  /** The key, and behind it the bytes of the nonce that is issued or looked at. */
  readonly #workspace: Buffer;
  readonly #bytes: Buffer;
  /** What begins at random and is counted on, so that no two nonces of any process are the same. */
  readonly #unique = randomBytes(UNIQUE);
  readonly #counts = new WeakMap<Connection, Map<string, Counts>>();

  constructor(key: Uint8Array) {
    this.#workspace = Buffer.concat([key, Buffer.alloc(TIME + UNIQUE)]);
    this.#bytes = this.#workspace.subarray(key.length);
  }

  /** @param now milliseconds since 1970 */
  issue(now: number): string {
    this.#unique.writeUInt32BE((this.#unique.readUInt32BE() + 1) >>> 0);
    this.#bytes.writeUIntBE(now, 0, TIME);
    this.#bytes.set(this.#unique, TIME);
    return this.#bytes.toString('base64url') + this.#proof();
  }

  /** Whether the nonce is one of ours and still good. */
  isValid(nonce: string, now: number): boolean {
    if (!/^[\w-]*$/.test(nonce) || nonce.length !== HEAD + PROOF) return false;
    this.#bytes.write(nonce, 'base64url');
    const age = now - this.#bytes.readUIntBE(0, TIME);
    if (age < -LIFETIME || age > LIFETIME) return false;
    return timingSafeEqual(Buffer.from(nonce.slice(HEAD)), Buffer.from(this.#proof()));
  }

  /**
   * Notes the count of a nonce that is good (RFC 7616 3.4, `nc`).
   *
   * @returns false where this connection has brought it before
   */
  recordCount(connection: Connection, nonce: string, count: number): boolean {
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

  /** A hash of SHA-512/256 cannot be extended, so that with a key in front it is a MAC. */
  #proof(): string {
    return hash('sha512-256', this.#workspace, 'base64url').slice(0, PROOF);
  }
}
