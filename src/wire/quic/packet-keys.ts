import { HASH_LENGTH, hkdfExpandLabel, hkdfExtract, type HashName } from '../tls/hkdf.ts';
import { QuicVersion, type Role } from './names.ts';

/** The algorithms that protect packets with a cipher suite of TLS 1.3 (RFC 9001 5.3, 5.4). */
export interface PacketCipher {
  readonly aead: 'aes-128-gcm' | 'aes-256-gcm' | 'chacha20-poly1305';
  /** Header protection. */
  readonly header: 'aes-128-ecb' | 'aes-256-ecb' | 'chacha20';
  readonly hash: HashName;
  /** Bytes of a key of the AEAD, and of header protection. */
  readonly keyLength: 16 | 32;
  /** Packets that may be sealed with the same key (RFC 9001 6.6). */
  readonly confidentialityLimit: number;
  /** Packets of a connection that may fail to be opened (RFC 9001 6.6). */
  readonly integrityLimit: number;
}

const AES_128_GCM: PacketCipher = {
  aead: 'aes-128-gcm',
  header: 'aes-128-ecb',
  hash: 'sha256',
  keyLength: 16,
  confidentialityLimit: 2 ** 23,
  integrityLimit: 2 ** 52,
};

/** Ciphers by cipher suite (RFC 9846 B.4): TLS_AES_128_GCM_SHA256, TLS_AES_256_GCM_SHA384, TLS_CHACHA20_POLY1305_SHA256. */
export const packetCiphers: Readonly<Record<0x1301 | 0x1302 | 0x1303, PacketCipher>> = {
  0x1301: AES_128_GCM,
  0x1302: {
    aead: 'aes-256-gcm',
    header: 'aes-256-ecb',
    hash: 'sha384',
    keyLength: 32,
    confidentialityLimit: 2 ** 23,
    integrityLimit: 2 ** 52,
  },
  0x1303: {
    aead: 'chacha20-poly1305',
    header: 'chacha20',
    hash: 'sha256',
    keyLength: 32,
    // Greater than the number of possible packets (RFC 9001 6.6).
    confidentialityLimit: Number.POSITIVE_INFINITY,
    integrityLimit: 2 ** 36,
  },
};

/** The cipher of Initial packets (RFC 9001 5.2). */
export const INITIAL_CIPHER = AES_128_GCM;

/** RFC 9001 5.2, RFC 9369 3.3.1. */
const INITIAL_SALTS: Readonly<Record<QuicVersion, Buffer>> = {
  [QuicVersion.v1]: Buffer.from('38762cf7f55934b34d179ae6a4c80cadccbb7f0a', 'hex'),
  [QuicVersion.v2]: Buffer.from('0dede3def700a6db819381be6e269dcbf9bd2ed9', 'hex'),
};

/** Prefixes of the labels for HKDF-Expand-Label (RFC 9001 5.1, RFC 9369 3.3.2). */
const LABELS: Readonly<Record<QuicVersion, string>> = {
  [QuicVersion.v1]: 'quic',
  [QuicVersion.v2]: 'quicv2',
};

const NO_CONTEXT: Buffer = Buffer.alloc(0);

/**
 * The secret of the Initial packets that a role sends (RFC 9001 5.2).
 *
 * @param clientId the Destination Connection ID of the client's first Initial packet, or of the first one after a Retry
 */
export function initialSecret(version: QuicVersion, clientId: Uint8Array, sender: Role): Buffer {
  const { hash } = INITIAL_CIPHER;
  const common = hkdfExtract(hash, INITIAL_SALTS[version], clientId);
  return hkdfExpandLabel(hash, common, `${sender} in`, NO_CONTEXT, HASH_LENGTH[hash]);
}

/** Key and IV of the AEAD, derived from a secret (RFC 9001 5.1). */
export interface PacketKeys {
  readonly key: Buffer;
  readonly iv: Buffer;
}

export const IV_LENGTH = 12;

export function packetKeys(
  version: QuicVersion,
  { hash, keyLength }: PacketCipher,
  secret: Uint8Array,
): PacketKeys {
  const expand = (label: string, length: number): Buffer =>
    hkdfExpandLabel(hash, secret, `${LABELS[version]} ${label}`, NO_CONTEXT, length);
  return { key: expand('key', keyLength), iv: expand('iv', IV_LENGTH) };
}

/** The key of header protection. It stays the same when keys are updated (RFC 9001 5.4). */
export function headerKey(
  version: QuicVersion,
  { hash, keyLength }: PacketCipher,
  secret: Uint8Array,
): Buffer {
  return hkdfExpandLabel(hash, secret, `${LABELS[version]} hp`, NO_CONTEXT, keyLength);
}

/** The secret after a key update (RFC 9001 6.1). */
export function nextSecret(
  version: QuicVersion,
  { hash }: PacketCipher,
  secret: Uint8Array,
): Buffer {
  return hkdfExpandLabel(hash, secret, `${LABELS[version]} ku`, NO_CONTEXT, HASH_LENGTH[hash]);
}
