import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Connection } from '../net/connection.ts';

/** Milliseconds for which a nonce is valid. */
const LIFETIME = 5 * 60 * 1000;

/** Bytes of a nonce: the time it was issued, and a unique part. */
const TIME = 6;
const UNIQUE = 9;
/** Base64 characters: of those bytes, and of their MAC. */
const HEAD = ((TIME + UNIQUE) / 3) * 4;
const MAC = 22;

/** Nonces per connection whose counts are kept; the one first used earliest is evicted. */
const MAX_NONCES = 8;
/** How far a count may be below the highest one: requests of a client may overtake each other. */
const WINDOW = 32;

interface Counts {
  highest: number;
  /** Bit n is set if the count `highest` - n was used. */
  used: number;
}

/**
 * Nonces of Digest authentication (RFC 7616 3.3). Each carries a MAC, so issued nonces need not be
 * stored, and every process with the key can verify them.
 *
 * Counts are stored per connection: a request replayed on the same connection is detected, a replay on
 * another connection is not until the nonce expires.
 */
export class Nonces {
  /** The key, followed by the bytes of the nonce that is issued or verified. */
  readonly #workspace: Buffer;
  readonly #bytes: Buffer;
  /** Starts at a random value and is incremented, so that nonces are unique across processes. */
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
    return this.#bytes.toString('base64url') + this.#mac();
  }

  /** Whether the nonce was issued with our key and has not expired. */
  isValid(nonce: string, now: number): boolean {
    if (!/^[\w-]*$/.test(nonce) || nonce.length !== HEAD + MAC) return false;
    this.#bytes.write(nonce, 'base64url');
    const age = now - this.#bytes.readUIntBE(0, TIME);
    if (age < -LIFETIME || age > LIFETIME) return false;
    return timingSafeEqual(Buffer.from(nonce.slice(HEAD)), Buffer.from(this.#mac()));
  }

  /**
   * Records the count of a valid nonce (RFC 7616 3.4, `nc`).
   *
   * @returns false if it was used before on this connection
   */
  recordCount(connection: Connection, nonce: string, count: number): boolean {
    const counts = this.#countsOf(connection, nonce);
    const ahead = count - counts.highest;
    if (ahead > 0) {
      counts.used = ahead < WINDOW ? (counts.used << ahead) | 1 : 1;
      counts.highest = count;
      return true;
    }
    const bit = -ahead < WINDOW ? 1 << -ahead : 0;
    if (bit === 0 || (counts.used & bit) !== 0) return false;
    counts.used |= bit;
    return true;
  }

  #countsOf(connection: Connection, nonce: string): Counts {
    let nonces = this.#counts.get(connection);
    if (!nonces) this.#counts.set(connection, (nonces = new Map()));
    let counts = nonces.get(nonce);
    if (!counts) {
      const [oldest] = nonces.keys();
      if (nonces.size === MAX_NONCES && oldest !== undefined) nonces.delete(oldest);
      nonces.set(nonce, (counts = { highest: 0, used: 0 }));
    }
    return counts;
  }

  /** SHA-512/256 is not subject to length extension, so that hash(key || data) is a MAC. */
  #mac(): string {
    return hash('sha512-256', this.#workspace, 'base64url').slice(0, MAC);
  }
}
