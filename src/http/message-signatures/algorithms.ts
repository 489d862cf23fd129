import {
  constants,
  createHmac,
  timingSafeEqual,
  verify,
  type KeyObject,
  type VerifyKeyObjectInput,
} from 'node:crypto';

type Hash = 'sha256' | 'sha384' | 'sha512';

/** How a signature is verified, and with what kind of key. */
type Scheme =
  | { readonly kind: 'rsa'; readonly hash: Hash; readonly padding: 'pss' | 'pkcs1' }
  | { readonly kind: 'hmac'; readonly hash: Hash }
  | { readonly kind: 'ecdsa'; readonly hash: Hash; readonly curve: string }
  | { readonly kind: 'eddsa'; readonly curve: 'ed25519' | 'ed448' };

const ED25519 = { kind: 'eddsa', curve: 'ed25519' } as const;

const rsa = (padding: 'pss' | 'pkcs1', hash: Hash): Scheme => ({ kind: 'rsa', hash, padding });
const ecdsa = (curve: string, hash: Hash): Scheme => ({ kind: 'ecdsa', hash, curve });

/** The algorithms of `alg` (RFC 9421 3.3.1 to 3.3.6). */
const REGISTERED: Readonly<Record<string, Scheme>> = {
  'rsa-pss-sha512': rsa('pss', 'sha512'),
  'rsa-v1_5-sha256': rsa('pkcs1', 'sha256'),
  'hmac-sha256': { kind: 'hmac', hash: 'sha256' },
  'ecdsa-p256-sha256': ecdsa('prime256v1', 'sha256'),
  'ecdsa-p384-sha384': ecdsa('secp384r1', 'sha384'),
  ed25519: ED25519,
};

/** The algorithms of JWS, which only a key can name (RFC 9421 3.3.7). */
const JOSE: Readonly<Record<string, Scheme>> = {
  RS256: rsa('pkcs1', 'sha256'),
  RS384: rsa('pkcs1', 'sha384'),
  RS512: rsa('pkcs1', 'sha512'),
  PS256: rsa('pss', 'sha256'),
  PS384: rsa('pss', 'sha384'),
  PS512: rsa('pss', 'sha512'),
  HS256: { kind: 'hmac', hash: 'sha256' },
  HS384: { kind: 'hmac', hash: 'sha384' },
  HS512: { kind: 'hmac', hash: 'sha512' },
  ES256: ecdsa('prime256v1', 'sha256'),
  ES384: ecdsa('secp384r1', 'sha384'),
  ES512: ecdsa('secp521r1', 'sha512'),
  ES256K: ecdsa('secp256k1', 'sha256'),
  Ed25519: ED25519,
  Ed448: { kind: 'eddsa', curve: 'ed448' },
};

/** The algorithm of JWS that leaves the curve to the key (RFC 8037 3.1). RFC 9864 deprecates it, and many keys name it. */
const EDDSA = 'EdDSA';

/** Algorithms of keys that name none: of curves there is one each, of secrets that of RFC 9421. */
const BY_CURVE: Readonly<Record<string, string>> = {
  prime256v1: 'ecdsa-p256-sha256',
  secp384r1: 'ecdsa-p384-sha384',
  secp521r1: 'ES512',
};

/** A key, and the algorithm that it names: one of `alg`, or one of JWS. */
export interface VerificationKey {
  readonly key: KeyObject;
  readonly algorithm: string | undefined;
}

/** The algorithm of a signature, or why it has none. */
export type Chosen = { readonly algorithm: string } | { readonly reason: string };

/** Whether `alg` may name it. */
export function isSignatureAlgorithm(name: string): boolean {
  return Object.hasOwn(REGISTERED, name);
}

/** Whether a key may name it. */
export function isKeyAlgorithm(name: string): boolean {
  return isSignatureAlgorithm(name) || Object.hasOwn(JOSE, name) || name === EDDSA;
}

/**
 * Chooses the algorithm (RFC 9421 3.2, step 6): that of `alg`, that of the key, and the kind of the key have to agree.
 *
 * @param alg the parameter of the signature
 */
export function chooseAlgorithm(alg: string | undefined, key: VerificationKey): Chosen {
  if (alg !== undefined && !isSignatureAlgorithm(alg)) {
    return { reason: `the algorithm ${JSON.stringify(alg)} is not registered (RFC 9421 6.2)` };
  }
  const ofKey = key.algorithm ?? usualAlgorithm(key.key);
  const algorithm = alg ?? ofKey;
  if (algorithm === undefined) return { reason: 'neither alg nor the key names an algorithm' };
  const scheme = schemeOf(algorithm, key.key);
  if (!scheme || !fits(scheme, key.key)) return { reason: `the key is not for ${algorithm}` };
  const other = ofKey === undefined ? undefined : schemeOf(ofKey, key.key);
  if (other && JSON.stringify(other) !== JSON.stringify(scheme)) {
    return { reason: `alg is ${algorithm}, but that of the key is ${ofKey ?? ''}` };
  }
  return { algorithm };
}

function schemeOf(algorithm: string, { asymmetricKeyType }: KeyObject): Scheme | undefined {
  if (algorithm === EDDSA) return asymmetricKeyType === 'ed448' ? JOSE['Ed448'] : ED25519;
  if (Object.hasOwn(REGISTERED, algorithm)) return REGISTERED[algorithm];
  return Object.hasOwn(JOSE, algorithm) ? JOSE[algorithm] : undefined;
}

function usualAlgorithm(key: KeyObject): string | undefined {
  if (key.type === 'secret') return 'hmac-sha256';
  if (key.asymmetricKeyType === 'ed25519') return 'ed25519';
  if (key.asymmetricKeyType === 'ed448') return 'Ed448';
  return BY_CURVE[key.asymmetricKeyDetails?.namedCurve ?? ''];
}

function fits(scheme: Scheme, key: KeyObject): boolean {
  switch (scheme.kind) {
    case 'rsa':
      return key.asymmetricKeyType === 'rsa';
    case 'hmac':
      return key.type === 'secret';
    case 'ecdsa':
      return key.asymmetricKeyDetails?.namedCurve === scheme.curve;
    case 'eddsa':
      return key.asymmetricKeyType === scheme.curve;
  }
}

/**
 * Verifies a signature, in a libuv thread except for HMAC.
 *
 * @param algorithm as chosen for the key
 * @returns why it is not valid; undefined if it is
 */
export async function signatureProblem(
  algorithm: string,
  { key }: VerificationKey,
  base: string,
  signature: Uint8Array,
): Promise<string | undefined> {
  const invalid = `it is not the ${algorithm} signature of this base by this key`;
  const scheme = schemeOf(algorithm, key);
  const data = Buffer.from(base);
  const isValid = (options: Partial<VerifyKeyObjectInput> = {}): Promise<boolean> =>
    isValidInThread(
      scheme?.kind === 'eddsa' ? undefined : scheme?.hash,
      data,
      { key, ...options },
      signature,
    );
  switch (scheme?.kind) {
    case undefined:
      return invalid;
    case 'hmac': {
      const expected = createHmac(scheme.hash, key).update(data).digest();
      const isSame = expected.length === signature.length && timingSafeEqual(expected, signature);
      return isSame ? undefined : invalid;
    }
    case 'eddsa':
      return (await isValid()) ? undefined : invalid;
    case 'ecdsa':
      if (await isValid({ dsaEncoding: 'ieee-p1363' })) return undefined;
      return (await isValid({ dsaEncoding: 'der' }))
        ? 'it is encoded in DER, but has to be r followed by s (RFC 9421 3.3.4)'
        : invalid;
    case 'rsa': {
      if (signature.length !== modulusLength(key)) return invalid;
      if (scheme.padding === 'pkcs1') {
        return (await isValid({ padding: constants.RSA_PKCS1_PADDING })) ? undefined : invalid;
      }
      const padding = constants.RSA_PKCS1_PSS_PADDING;
      const { RSA_PSS_SALTLEN_DIGEST, RSA_PSS_SALTLEN_AUTO } = constants;
      if (await isValid({ padding, saltLength: RSA_PSS_SALTLEN_DIGEST })) return undefined;
      return (await isValid({ padding, saltLength: RSA_PSS_SALTLEN_AUTO }))
        ? 'its salt does not have the length of the hash (RFC 9421 3.3.1)'
        : invalid;
    }
  }
}

/** The length of an RSA signature in bytes: OpenSSL takes a shorter one, without its leading zeros (RFC 8017 8.1.2). */
function modulusLength({ asymmetricKeyDetails }: KeyObject): number {
  return Math.ceil((asymmetricKeyDetails?.modulusLength ?? 0) / 8);
}

/** A signature that OpenSSL cannot parse is invalid, not an error. */
function isValidInThread(
  hash: Hash | undefined,
  data: Buffer,
  key: VerifyKeyObjectInput,
  signature: Uint8Array,
): Promise<boolean> {
  return new Promise((resolve) => {
    verify(hash, data, key, signature, (error, isValid) => resolve(error === null && isValid));
  });
}
