import { createHash, createPublicKey, createSecretKey, type JsonWebKey } from 'node:crypto';
import { jsonOrNull } from '../json-content.ts';
import { isKeyAlgorithm, type VerificationKey } from './algorithms.ts';

/** Bounds of a key, since a client chooses it. The time to verify RSA grows with the cube of its bits. */
export const KEY_BOUNDS = {
  /** Maximum characters of a key in base64url. */
  characters: 4096,
  /** Bits of an RSA modulus. */
  rsaBits: { min: 1024, max: 4096 },
  /** Maximum public exponent of RSA: the time grows with its bits. */
  rsaExponent: 2n ** 32n - 1n,
} as const;

/** A key with its thumbprint (RFC 7638, RFC 8037 2). */
export interface NamedKey extends VerificationKey {
  readonly thumbprint: string;
}

/** Members of a key that its thumbprint covers, in their order (RFC 7638 3.2, RFC 8037 2). */
const THUMBPRINT_MEMBERS: Readonly<Record<string, readonly (keyof JsonWebKey)[]>> = {
  RSA: ['e', 'kty', 'n'],
  EC: ['crv', 'kty', 'x', 'y'],
  OKP: ['crv', 'kty', 'x'],
  oct: ['k', 'kty'],
};

/**
 * Reads a public or secret key.
 *
 * @param text a JSON Web Key (RFC 7517) in base64url
 * @returns what is wrong with it, if it is not a valid key
 */
export function readVerificationKey(text: string): NamedKey | string {
  if (text.length > KEY_BOUNDS.characters) {
    return `has more than ${KEY_BOUNDS.characters} characters`;
  }
  const jwk = jsonOrNull(Buffer.from(text, 'base64url').toString());
  if (typeof jwk !== 'object' || jwk === null) return 'is not a JSON Web Key in base64url';
  return keyOf({ ...jwk });
}

/** The key of a JSON Web Key. @returns as above */
export function keyOf(jwk: Readonly<Record<string, unknown>>): NamedKey | string {
  const { kty, alg, k } = jwk;
  if (alg !== undefined && !(typeof alg === 'string' && isKeyAlgorithm(alg))) {
    return 'has an `alg` that is not a signature algorithm';
  }
  if ('d' in jwk) return 'is a private key: send the public one';
  if (kty === 'oct' && typeof k === 'string') {
    const key = createSecretKey(k, 'base64url');
    return { key, algorithm: alg, thumbprint: thumbprintOf({ kty, k }) };
  }
  try {
    const key = createPublicKey({ key: { ...jwk }, format: 'jwk' });
    const { modulusLength = 2048, publicExponent = 3n } = key.asymmetricKeyDetails ?? {};
    const { min, max } = KEY_BOUNDS.rsaBits;
    if (modulusLength < min || modulusLength > max || publicExponent > KEY_BOUNDS.rsaExponent) {
      return `is an RSA key of ${modulusLength} bits: ${min} to ${max} bits, and an exponent of at most 32 bits, are accepted`;
    }
    return { key, algorithm: alg, thumbprint: thumbprintOf(key.export({ format: 'jwk' })) };
  } catch {
    return 'is not a valid JSON Web Key';
  }
}

function thumbprintOf(jwk: JsonWebKey): string {
  const members = THUMBPRINT_MEMBERS[jwk.kty ?? ''] ?? [];
  const json = JSON.stringify(Object.fromEntries(members.map((name) => [name, jwk[name]])));
  return createHash('sha256').update(json).digest('base64url');
}
