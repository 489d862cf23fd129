import * as crypto from 'node:crypto';
import {
  createECDH,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
  type KeyPairKeyObjectResult,
} from 'node:crypto';
import { attempt } from './attempt.ts';

/** NamedGroup (RFC 9846 4.3.7) of the key exchanges. */
export const Group = {
  secp256r1: 0x0017,
  secp384r1: 0x0018,
  x25519: 0x001d,
  /** draft-ietf-tls-ecdhe-mlkem; only if Node has ML-KEM. */
  x25519MlKem768: 0x11ec,
} as const;
export type Group = (typeof Group)[keyof typeof Group];

/** A key share of this side, and its private key. */
export interface KeyExchange {
  readonly share: Buffer;
  /** The shared secret; undefined if the peer's share is invalid. */
  secretWith(peerShare: Uint8Array): Buffer | undefined;
}

/** A server's key share, and the shared secret. */
export interface KeyExchangeAnswer {
  readonly share: Buffer;
  readonly secret: Buffer;
}

/** The functions that Node 24.7 adds to node:crypto. The types of Node 20 lack them. */
interface KeyEncapsulation {
  encapsulate(key: KeyObject): { readonly sharedKey: Buffer; readonly ciphertext: Buffer };
  decapsulate(key: KeyObject, ciphertext: Uint8Array): Buffer;
  generateKeyPairSync(type: 'ml-kem-768'): KeyPairKeyObjectResult;
}

/** undefined if Node or its OpenSSL has no ML-KEM. */
const mlKem: KeyEncapsulation | undefined =
  hasEncapsulation(crypto) && canGenerate(crypto) ? crypto : undefined;

/** Groups that can be used, the preferred one first. */
export const GROUPS: readonly Group[] = [
  ...(mlKem ? [Group.x25519MlKem768] : []),
  Group.x25519,
  Group.secp256r1,
  Group.secp384r1,
];

const X25519_LENGTH = 32;
/** Bytes of a SubjectPublicKeyInfo before an ML-KEM-768 key (RFC 9935 4). */
const ML_KEM_PREFIX = Buffer.from('308204b2300b0609608648016503040402038204a100', 'hex');
/** Bytes of an encapsulation key and of a ciphertext of ML-KEM-768 (FIPS 203 8). */
const ML_KEM_KEY_LENGTH = 1184;
const ML_KEM_CIPHERTEXT_LENGTH = 1088;
/** `legacy_form` of uncompressed points, the only form allowed (RFC 9846 4.3.8.2). */
const UNCOMPRESSED = 4;

const BASE_POINT = x25519Key(Buffer.alloc(X25519_LENGTH).fill(9, 0, 1));

/** Makes a key pair of a group in `GROUPS`. */
export function startKeyExchange(group: Group): KeyExchange {
  switch (group) {
    case Group.x25519:
      return startX25519();
    case Group.secp256r1:
      return startEcdh('prime256v1', 65);
    case Group.secp384r1:
      return startEcdh('secp384r1', 97);
    case Group.x25519MlKem768:
      return startHybrid(availableMlKem());
  }
}

/** The server's side. @returns undefined if the client's share is invalid */
export function answerKeyExchange(
  group: Group,
  clientShare: Uint8Array,
): KeyExchangeAnswer | undefined {
  if (group === Group.x25519MlKem768) return answerHybrid(availableMlKem(), clientShare);
  const exchange = startKeyExchange(group);
  const secret = exchange.secretWith(clientShare);
  return secret && { share: exchange.share, secret };
}

function startX25519(): KeyExchange {
  const { privateKey } = generateKeyPairSync('x25519');
  return {
    // The public key (RFC 7748 6.1). In Node 20, exporting it takes twice as long, and exporting a JWK can hang.
    share: diffieHellman({ privateKey, publicKey: BASE_POINT }),
    secretWith: (peerShare) => {
      if (peerShare.length !== X25519_LENGTH) return undefined;
      // OpenSSL refuses a shared secret of zeros (RFC 9846 7.4.2).
      return attempt(() => diffieHellman({ privateKey, publicKey: x25519Key(peerShare) }));
    },
  };
}

function startEcdh(curve: 'prime256v1' | 'secp384r1', length: number): KeyExchange {
  const ecdh = createECDH(curve);
  return {
    share: ecdh.generateKeys(),
    secretWith: (peerShare) =>
      // OpenSSL checks that the point is on the curve.
      peerShare.length === length && peerShare[0] === UNCOMPRESSED
        ? attempt(() => ecdh.computeSecret(peerShare))
        : undefined,
  };
}

/** X25519MLKEM768: the share and the secret are those of ML-KEM, followed by those of X25519. */
function startHybrid(kem: KeyEncapsulation): KeyExchange {
  const { publicKey, privateKey } = kem.generateKeyPairSync('ml-kem-768');
  const x25519 = startX25519();
  const der = publicKey.export({ format: 'der', type: 'spki' });
  return {
    share: Buffer.concat([der.subarray(ML_KEM_PREFIX.length), x25519.share]),
    secretWith: (peerShare) => {
      if (peerShare.length !== ML_KEM_CIPHERTEXT_LENGTH + X25519_LENGTH) return undefined;
      const ciphertext = peerShare.subarray(0, ML_KEM_CIPHERTEXT_LENGTH);
      const sharedKey = attempt(() => kem.decapsulate(privateKey, ciphertext));
      const secret = x25519.secretWith(peerShare.subarray(ML_KEM_CIPHERTEXT_LENGTH));
      return sharedKey && secret && Buffer.concat([sharedKey, secret]);
    },
  };
}

function answerHybrid(
  kem: KeyEncapsulation,
  clientShare: Uint8Array,
): KeyExchangeAnswer | undefined {
  if (clientShare.length !== ML_KEM_KEY_LENGTH + X25519_LENGTH) return undefined;
  const x25519 = startX25519();
  const key = clientShare.subarray(0, ML_KEM_KEY_LENGTH);
  const sealed = attempt(() => kem.encapsulate(mlKemKey(key)));
  const secret = x25519.secretWith(clientShare.subarray(ML_KEM_KEY_LENGTH));
  return (
    sealed &&
    secret && {
      share: Buffer.concat([sealed.ciphertext, x25519.share]),
      secret: Buffer.concat([sealed.sharedKey, secret]),
    }
  );
}

/** From a JWK, which Node 20 imports in half the time of DER. */
function x25519Key(share: Uint8Array): KeyObject {
  const x = Buffer.from(share).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x }, format: 'jwk' });
}

function mlKemKey(key: Uint8Array): KeyObject {
  const der = Buffer.concat([ML_KEM_PREFIX, key]);
  return createPublicKey({ key: der, format: 'der', type: 'spki' });
}

function availableMlKem(): KeyEncapsulation {
  if (!mlKem) throw new Error('this Node has no ML-KEM');
  return mlKem;
}

function hasEncapsulation(module: object): module is KeyEncapsulation {
  return 'encapsulate' in module && 'decapsulate' in module;
}

function canGenerate(kem: KeyEncapsulation): boolean {
  return attempt(() => kem.generateKeyPairSync('ml-kem-768')) !== undefined;
}
