import { createDecipheriv, createHmac } from 'node:crypto';
import { recordHeader, type RecordHeader } from '../../wire/tls/record.ts';

/** The decrypted content of a TLS 1.3 record (RFC 9846 5.2). */
export interface InnerRecord {
  readonly type: number;
  readonly content: Buffer;
}

interface Suite {
  readonly cipher: 'aes-128-gcm' | 'aes-256-gcm' | 'chacha20-poly1305';
  readonly hash: 'sha256' | 'sha384';
  readonly keyLength: number;
}

/** TLS 1.3 cipher suites that OpenSSL offers by default. */
const SUITES: Readonly<Record<number, Suite>> = {
  0x1301: { cipher: 'aes-128-gcm', hash: 'sha256', keyLength: 16 },
  0x1302: { cipher: 'aes-256-gcm', hash: 'sha384', keyLength: 32 },
  0x1303: { cipher: 'chacha20-poly1305', hash: 'sha256', keyLength: 32 },
};

export const TAG_LENGTH = 16;
const IV_LENGTH = 12;

/**
 * The traffic keys of one direction in TLS 1.3 (RFC 9846 7.3), derived from an application traffic secret as in a key
 * log. Decrypts single records.
 */
export class TrafficKeys {
  readonly #suite: Suite;
  readonly #secret: Buffer;
  readonly #key: Buffer;
  readonly #iv: Buffer;

  private constructor(suite: Suite, secret: Buffer) {
    this.#suite = suite;
    this.#secret = secret;
    this.#key = expandLabel(suite, secret, 'key', suite.keyLength);
    this.#iv = expandLabel(suite, secret, 'iv', IV_LENGTH);
  }

  /** Derives keys from a secret; undefined for an unsupported cipher suite. */
  static of(cipherSuite: number, secret: Buffer): TrafficKeys | undefined {
    const suite = SUITES[cipherSuite];
    return suite && new TrafficKeys(suite, secret);
  }

  /** The keys after a KeyUpdate (RFC 9846 7.2). */
  next(): TrafficKeys {
    const length = this.#secret.length;
    return new TrafficKeys(
      this.#suite,
      expandLabel(this.#suite, this.#secret, 'traffic upd', length),
    );
  }

  /** Decrypts a record; undefined if these keys and this sequence number do not fit. */
  open(record: RecordHeader, content: Buffer, sequence: number): InnerRecord | undefined {
    if (content.length < TAG_LENGTH) return undefined;
    const nonce = Buffer.from(this.#iv);
    const low = nonce.readUInt32BE(8) ^ (sequence % 2 ** 32);
    const high = nonce.readUInt32BE(4) ^ Math.floor(sequence / 2 ** 32);
    nonce.writeUInt32BE(low >>> 0, 8);
    nonce.writeUInt32BE(high >>> 0, 4);
    try {
      return innerRecord(this.#decrypt(nonce, recordHeader(record), content));
    } catch {
      return undefined;
    }
  }

  /** @throws if the authentication tag is wrong */
  #decrypt(nonce: Buffer, header: Buffer, content: Buffer): Buffer {
    const data = content.subarray(0, -TAG_LENGTH);
    const tag = content.subarray(-TAG_LENGTH);
    const { cipher } = this.#suite;
    const options = { authTagLength: TAG_LENGTH };
    const decipher =
      cipher === 'chacha20-poly1305'
        ? createDecipheriv(cipher, this.#key, nonce, options)
        : createDecipheriv(cipher, this.#key, nonce, options);
    decipher.setAuthTag(tag);
    decipher.setAAD(header, { plaintextLength: data.length });
    return Buffer.concat([decipher.update(data), decipher.final()]);
  }
}

/** Splits a decrypted record: content, type, and padding of zeros (RFC 9846 5.4). */
function innerRecord(plaintext: Buffer): InnerRecord | undefined {
  let end = plaintext.length - 1;
  while (end >= 0 && plaintext[end] === 0) end--;
  const type = plaintext[end];
  return type === undefined ? undefined : { type, content: plaintext.subarray(0, end) };
}

/** HKDF-Expand-Label with an empty context (RFC 9846 7.1). All lengths are at most one hash block. */
function expandLabel({ hash }: Suite, secret: Buffer, name: string, length: number): Buffer {
  const label = Buffer.from(`tls13 ${name}`, 'latin1');
  const info = Buffer.concat([Buffer.of(0, length, label.length), label, Buffer.of(0)]);
  return createHmac(hash, secret).update(info).update(Buffer.of(1)).digest().subarray(0, length);
}
