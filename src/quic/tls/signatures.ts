import { constants, sign, verify, type KeyObject } from 'node:crypto';

/** A SignatureScheme (RFC 9846 4.3.3) for CertificateVerify. */
interface Scheme {
  readonly code: number;
  readonly keyType: 'ec' | 'ed25519' | 'rsa';
  readonly curve?: 'prime256v1' | 'secp384r1' | 'secp521r1';
  /** undefined of Ed25519, which hashes for itself. */
  readonly hash?: 'sha256' | 'sha384' | 'sha512';
}

/** In order of preference for a key. */
const SCHEMES: readonly Scheme[] = [
  { code: 0x0403, keyType: 'ec', curve: 'prime256v1', hash: 'sha256' },
  { code: 0x0503, keyType: 'ec', curve: 'secp384r1', hash: 'sha384' },
  { code: 0x0603, keyType: 'ec', curve: 'secp521r1', hash: 'sha512' },
  { code: 0x0807, keyType: 'ed25519' },
  { code: 0x0804, keyType: 'rsa', hash: 'sha256' },
  { code: 0x0805, keyType: 'rsa', hash: 'sha384' },
  { code: 0x0806, keyType: 'rsa', hash: 'sha512' },
];

/** RSASSA-PKCS1-v1_5 with SHA-256, -384 and -512: for certificates, not for handshakes (RFC 9846 4.3.3). */
const OF_CERTIFICATES = [0x0401, 0x0501, 0x0601];

/** The signature_algorithms of a client. */
export const SIGNATURE_SCHEMES: readonly number[] = [
  ...SCHEMES.map(({ code }) => code),
  ...OF_CERTIFICATES,
];

/** Schemes that a public or private key can be used with, the preferred one first. */
export function schemesOf(key: KeyObject): readonly number[] {
  return SCHEMES.filter((scheme) => fits(scheme, key)).map(({ code }) => code);
}

/** @param code one of `schemesOf(key)` */
export function signHandshake(code: number, key: KeyObject, transcript: Uint8Array): Buffer {
  return sign(hashOf(code), signedContent(transcript), pss(key));
}

/** Whether a server's signature is that of the key. @param code one of `schemesOf(key)` */
export function isSignedBy(
  code: number,
  key: KeyObject,
  transcript: Uint8Array,
  signature: Uint8Array,
): boolean {
  return verify(hashOf(code), signedContent(transcript), pss(key), signature);
}

const PADDING = Buffer.alloc(64, 0x20);
const CONTEXT = Buffer.from('TLS 1.3, server CertificateVerify\0', 'latin1');

/** What the signature of a server covers (RFC 9846 4.5.2). @param transcript hash up to the Certificate */
function signedContent(transcript: Uint8Array): Buffer {
  return Buffer.concat([PADDING, CONTEXT, transcript]);
}

function hashOf(code: number): string | undefined {
  return SCHEMES.find((scheme) => scheme.code === code)?.hash;
}

/** Keys other than RSA ignore padding and salt. */
function pss(key: KeyObject): {
  readonly key: KeyObject;
  readonly padding?: number;
  readonly saltLength?: number;
} {
  if (key.asymmetricKeyType !== 'rsa') return { key };
  const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_DIGEST: saltLength } = constants;
  return { key, padding, saltLength };
}

const SHORT_RSA = 2048;

function fits({ keyType, curve, hash }: Scheme, key: KeyObject): boolean {
  const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType !== keyType) return false;
  if (keyType === 'ec') return namedCurve === curve;
  // Hash and salt must fit into the modulus (RFC 8017 9.1.1).
  return keyType !== 'rsa' || hash === 'sha256' || modulusLength >= SHORT_RSA;
}
