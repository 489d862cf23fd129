import { createHash, createHmac, timingSafeEqual, type Hash } from 'node:crypto';
import { vector } from '../../wire/byte-writer.ts';
import { HandshakeType } from '../../wire/tls/handshake-reader.ts';
import { HASH_LENGTH, hkdfExpandLabel, hkdfExtract, type HashName } from '../../wire/tls/hkdf.ts';

/** Traffic secrets of an encryption level, from which QUIC derives its keys (RFC 9001 5.1). */
export interface TrafficSecrets {
  readonly client: Buffer;
  readonly server: Buffer;
}

const EMPTY = new Uint8Array(0);

/** The running hash of the handshake messages, with their headers (RFC 9846 4.1). */
export class Transcript {
  readonly hash: HashName;
  #state: Hash;

  constructor(hash: HashName) {
    this.hash = hash;
    this.#state = createHash(hash);
  }

  add(message: Uint8Array): void {
    this.#state.update(message);
  }

  /** @param further bytes that are hashed too, but not added, such as a ClientHello without its binders */
  digest(further: Uint8Array = EMPTY): Buffer {
    return this.#state.copy().update(further).digest();
  }

  /** Replaces the first ClientHello, the only message so far, by a message_hash message. Then add the HelloRetryRequest. */
  startAgain(): void {
    const digest = this.#state.digest();
    this.#state = createHash(this.hash).update(Buffer.of(HandshakeType.messageHash));
    this.#state.update(vector(3, digest));
  }
}

/** The `derived` secret of the early secret without a PSK, which is the same in all connections. */
const DERIVED_WITHOUT_PSK: Readonly<Record<HashName, Buffer>> = {
  sha256: derivedSecret('sha256', earlySecret('sha256')),
  sha384: derivedSecret('sha384', earlySecret('sha384')),
};

/** The handshake secret, and the secrets derived from it (RFC 9846 7.1). */
export class KeySchedule {
  readonly #hash: HashName;
  readonly #secret: Buffer;

  /** @param psk undefined without one */
  constructor(hash: HashName, sharedSecret: Uint8Array, psk: Uint8Array | undefined) {
    this.#hash = hash;
    const salt = psk ? derivedSecret(hash, earlySecret(hash, psk)) : DERIVED_WITHOUT_PSK[hash];
    this.#secret = hkdfExtract(hash, salt, sharedSecret);
  }

  /** @param transcript hash up to the ServerHello */
  handshakeSecrets(transcript: Uint8Array): TrafficSecrets {
    return {
      client: deriveSecret(this.#hash, this.#secret, 'c hs traffic', transcript),
      server: deriveSecret(this.#hash, this.#secret, 's hs traffic', transcript),
    };
  }

  mainSecret(): MainSecret {
    const salt = derivedSecret(this.#hash, this.#secret);
    return new MainSecret(this.#hash, hkdfExtract(this.#hash, salt, zeros(this.#hash)));
  }
}

/** The main secret, and the secrets derived from it (RFC 9846 7.1). RFC 8446 calls it the master secret. */
export class MainSecret {
  readonly #hash: HashName;
  readonly #secret: Buffer;

  constructor(hash: HashName, secret: Buffer) {
    this.#hash = hash;
    this.#secret = secret;
  }

  /** @param transcript hash up to the server's Finished */
  applicationSecrets(transcript: Uint8Array): TrafficSecrets {
    return {
      client: deriveSecret(this.#hash, this.#secret, 'c ap traffic', transcript),
      server: deriveSecret(this.#hash, this.#secret, 's ap traffic', transcript),
    };
  }

  /**
   * The secret from which the PSKs of tickets are derived.
   *
   * @param transcript hash up to the client's Finished
   */
  resumptionSecret(transcript: Uint8Array): Buffer {
    return deriveSecret(this.#hash, this.#secret, 'res master', transcript);
  }
}

/** PSK of a ticket (RFC 9846 4.7.1). */
export function ticketPsk(hash: HashName, resumptionSecret: Uint8Array, nonce: Uint8Array): Buffer {
  return hkdfExpandLabel(hash, resumptionSecret, 'resumption', nonce, HASH_LENGTH[hash]);
}

/** Binder of a resumption PSK (RFC 9846 4.3.11.2). @param transcript hash up to the identities of the ClientHello */
export function pskBinder(hash: HashName, psk: Uint8Array, transcript: Uint8Array): Buffer {
  const emptyHash = createHash(hash).digest();
  const key = deriveSecret(hash, earlySecret(hash, psk), 'res binder', emptyHash);
  return verifyData(hash, key, transcript);
}

/**
 * `verify_data` of a Finished message (RFC 9846 4.5.3).
 *
 * @param secret handshake traffic secret of the side that sends it
 * @param transcript hash up to the message before
 */
export function verifyData(hash: HashName, secret: Uint8Array, transcript: Uint8Array): Buffer {
  const key = hkdfExpandLabel(hash, secret, 'finished', EMPTY, HASH_LENGTH[hash]);
  return createHmac(hash, key).update(transcript).digest();
}

/** Compares in constant time. */
export function isSame(expected: Uint8Array, received: Uint8Array): boolean {
  return expected.length === received.length && timingSafeEqual(expected, received);
}

function earlySecret(hash: HashName, psk: Uint8Array = zeros(hash)): Buffer {
  return hkdfExtract(hash, EMPTY, psk);
}

function derivedSecret(hash: HashName, secret: Uint8Array): Buffer {
  return deriveSecret(hash, secret, 'derived', createHash(hash).digest());
}

/** Derive-Secret (RFC 9846 7.1) of a transcript hash. */
function deriveSecret(
  hash: HashName,
  secret: Uint8Array,
  label: string,
  transcript: Uint8Array,
): Buffer {
  return hkdfExpandLabel(hash, secret, label, transcript, HASH_LENGTH[hash]);
}

function zeros(hash: HashName): Buffer {
  return Buffer.alloc(HASH_LENGTH[hash]);
}
