import {
  constants,
  createHmac,
  createSecretKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto';
import { expect, test } from 'vitest';
import {
  chooseAlgorithm,
  isKeyAlgorithm,
  isSignatureAlgorithm,
  signatureProblem,
} from '../../../src/http/message-signatures/algorithms.ts';

interface Pair {
  readonly publicKey: KeyObject;
  readonly sign: (algorithm: string, data: Buffer) => Buffer;
}

function hashOf(algorithm: string): string {
  return `sha${/(?:256|384|512)(?=K?$)/.exec(algorithm)?.[0] ?? ''}`;
}

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const secret = createSecretKey(randomBytes(64));

const RSA: Pair = {
  publicKey: rsa.publicKey,
  sign: (algorithm, data) => {
    const isPss = /^(?:PS|rsa-pss)/.test(algorithm);
    const padding = isPss ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING;
    const saltLength = constants.RSA_PSS_SALTLEN_DIGEST;
    return sign(hashOf(algorithm), data, {
      key: rsa.privateKey,
      padding,
      ...(isPss && { saltLength }),
    });
  },
};
const HMAC: Pair = {
  publicKey: secret,
  sign: (algorithm, data) => createHmac(hashOf(algorithm), secret).update(data).digest(),
};
const ec = (namedCurve: string): Pair => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve });
  return {
    publicKey,
    sign: (algorithm, data) =>
      sign(hashOf(algorithm), data, { key: privateKey, dsaEncoding: 'ieee-p1363' }),
  };
};
const eddsa = ({
  publicKey,
  privateKey,
}: {
  publicKey: KeyObject;
  privateKey: KeyObject;
}): Pair => ({
  publicKey,
  sign: (_, data) => sign(undefined, data, privateKey),
});
const P256 = ec('prime256v1');
const P384 = ec('secp384r1');
const ED25519 = eddsa(generateKeyPairSync('ed25519'));
const ED448 = eddsa(generateKeyPairSync('ed448'));

const ALL: readonly [algorithm: string, pair: Pair][] = [
  ['rsa-pss-sha512', RSA],
  ['rsa-v1_5-sha256', RSA],
  ['hmac-sha256', HMAC],
  ['ecdsa-p256-sha256', P256],
  ['ecdsa-p384-sha384', P384],
  ['ed25519', ED25519],
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'].map((name): [string, Pair] => [
    name,
    RSA,
  ]),
  ...['HS256', 'HS384', 'HS512'].map((name): [string, Pair] => [name, HMAC]),
  ['ES256', P256],
  ['ES384', P384],
  ['ES512', ec('secp521r1')],
  ['ES256K', ec('secp256k1')],
  ['Ed25519', ED25519],
  ['Ed448', ED448],
  ['EdDSA', ED25519],
  ['EdDSA', ED448],
];

test.each(ALL)('RFC 9421 3.3: %s', async (algorithm, pair) => {
  const key = { key: pair.publicKey, algorithm };
  expect(isKeyAlgorithm(algorithm)).toBe(true);
  expect(chooseAlgorithm(undefined, key)).toEqual({ algorithm });
  const signature = pair.sign(algorithm, Buffer.from('base'));
  expect(await signatureProblem(algorithm, key, 'base', signature)).toBeUndefined();
  const invalid = `it is not the ${algorithm} signature of this base by this key`;
  expect(await signatureProblem(algorithm, key, 'bass', signature)).toBe(invalid);
  for (const other of [
    signature.subarray(1),
    Buffer.alloc(0),
    Buffer.concat([signature, signature]),
  ]) {
    expect(await signatureProblem(algorithm, key, 'base', other)).toBe(invalid);
  }
});

test.each(['rsa-pss-sha512', 'rsa-v1_5-sha256'])(
  'RFC 8017 8.1.2: a signature of %s has the length of the modulus, also if it begins with a zero',
  async (algorithm) => {
    const key = { key: RSA.publicKey, algorithm };
    let at = 0;
    let signature: Buffer;
    do signature = RSA.sign(algorithm, Buffer.from(String(++at)));
    while (signature[0] !== 0);
    expect(await signatureProblem(algorithm, key, String(at), signature)).toBeUndefined();
    expect(await signatureProblem(algorithm, key, String(at), signature.subarray(1))).toMatch(
      /^it is not the /,
    );
  },
);

test('RFC 9421 3.3.1: the salt of rsa-pss-sha512 has 64 bytes', async () => {
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  const other = sign('sha512', Buffer.from('base'), {
    key: rsa.privateKey,
    padding,
    saltLength: 20,
  });
  const key = { key: rsa.publicKey, algorithm: undefined };
  expect(await signatureProblem('rsa-pss-sha512', key, 'base', other)).toBe(
    'its salt does not have the length of the hash (RFC 9421 3.3.1)',
  );
});

test('RFC 9421 3.3.4: r and s, not DER', async () => {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const der = sign('sha256', Buffer.from('base'), pair.privateKey);
  const key = { key: pair.publicKey, algorithm: undefined };
  expect(await signatureProblem('ecdsa-p256-sha256', key, 'base', der)).toMatch(
    /^it is encoded in DER/,
  );
});

test.each([
  [undefined, 'RS256', RSA, { algorithm: 'RS256' }],
  ['rsa-pss-sha512', 'PS512', RSA, { algorithm: 'rsa-pss-sha512' }],
  ['rsa-pss-sha512', undefined, RSA, { algorithm: 'rsa-pss-sha512' }],
  [undefined, undefined, P256, { algorithm: 'ecdsa-p256-sha256' }],
  [undefined, undefined, ED25519, { algorithm: 'ed25519' }],
  [undefined, undefined, HMAC, { algorithm: 'hmac-sha256' }],
  [undefined, undefined, RSA, { reason: 'neither alg nor the key names an algorithm' }],
  [
    'rsa-pss-sha512',
    'PS256',
    RSA,
    { reason: 'alg is rsa-pss-sha512, but that of the key is PS256' },
  ],
  ['ed25519', undefined, P256, { reason: 'the key is not for ed25519' }],
  ['hmac-sha256', undefined, RSA, { reason: 'the key is not for hmac-sha256' }],
  ['PS512', undefined, RSA, { reason: 'the algorithm "PS512" is not registered (RFC 9421 6.2)' }],
  [
    'constructor',
    undefined,
    RSA,
    { reason: 'the algorithm "constructor" is not registered (RFC 9421 6.2)' },
  ],
])('RFC 9421 3.2: of alg %s, and %s of the key', (alg, algorithm, { publicKey }, expected) => {
  expect(chooseAlgorithm(alg, { key: publicKey, algorithm })).toEqual(expected);
});

test('only those of RFC 9421 are for alg', () => {
  expect(isSignatureAlgorithm('ed25519')).toBe(true);
  expect(isSignatureAlgorithm('Ed25519')).toBe(false);
});

test.each([
  ['ed25519', ED25519, { algorithm: 'ed25519' }],
  ['ed25519', ED448, { reason: 'the key is not for ed25519' }],
  [undefined, RSA, { reason: 'the key is not for EdDSA' }],
])('RFC 8037 3.1: the curve of EdDSA is that of the key: %#', (alg, { publicKey }, chosen) => {
  expect(chooseAlgorithm(alg, { key: publicKey, algorithm: 'EdDSA' })).toEqual(chosen);
});
