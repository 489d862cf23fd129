import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Connection } from '../net/connection.ts';

/** Milliseconds for which a nonce is valid. */
const LIFETIME = 5 * 60 * 1000;

/** Bytes of a nonce that contain its time of issue. */
const TIME = 6;
/** Bytes of a nonce that make it unique. */
const UNIQUE = 9;
/** Base64 characters of these bytes. */
const HEAD = ((TIME + UNIQUE) / 3) * 4;
/** Base64 characters of their MAC. */
const MAC = 22;

/** Maximum number of nonces per connection whose counts are kept. The oldest one is dropped first. */
const MAX_NONCES = 8;
/** By how much a count must be below the highest one to be refused: concurrent requests may overtake each other. */
const WINDOW = 32;

interface Counts {
  highest: number;
  /** Bit n is set if the count `highest - n` has been used. */
  used: number;
}

/**
 * Nonces of Digest authentication (RFC 7616 3.3). A nonce contains a MAC, so issued nonces need not be stored, and
 * every process with the key can verify them.
 *
 * Counts are stored per connection: a replay on the same connection is detected, one on another connection only after
 * the nonce has expired.
 */
export class Nonces {
  /** The key and the bytes of a nonce. The MAC is computed over both. */
  readonly #workspace: Buffer;
  /** The bytes of the nonce, a view of `#workspace`. */
  readonly #bytes: Buffer;
  /** Random start value, incremented for each nonce, so that nonces are unique among processes. */
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

  /** Whether the nonce was issued with this key and has not expired. */
  isValid(nonce: string, now: number): boolean {
    if (!/^[\w-]*$/.test(nonce) || nonce.length !== HEAD + MAC) return false;
    this.#bytes.write(nonce, 'base64url');
    const age = now - this.#bytes.readUIntBE(0, TIME);
    if (age < -LIFETIME || age > LIFETIME) return false;
    return timingSafeEqual(Buffer.from(nonce.slice(HEAD)), Buffer.from(this.#mac()));
  }

  /**
   * Records the count (`nc`, RFC 7616 3.4) of a valid nonce.
   *
   * @returns false if it was used before on this connection, or is too far below the highest one
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

  /** A MAC of the form hash(key || data). This is safe with SHA-512/256, which does not allow length extension. */
  #mac(): string {
    return hash('sha512-256', this.#workspace, 'base64url').slice(0, MAC);
  }
}
