import { keyOf, type NamedKey } from './verification-key.ts';

/** The public parts of the example keys (RFC 9421 B.1). Their private parts are known to everyone. */
const EXAMPLES = [
  {
    name: 'test-key-rsa',
    section: 'B.1.1',
    usual: 'rsa-v1_5-sha256',
    jwk: {
      kty: 'RSA',
      e: 'AQAB',
      n: 'hAKYdtoeoy8zcAcR874L8cnZxKzAGwd7v36APp7Pv6Q2jdsPBRrwWEBnez6d0UDKDwGbc6nxfEXAy5mbhgajzrw3MOEt8uA5txSKobBpKDeBLOsdJKFqMGmXCQvEG7YemcxDTRPxAleIAgYYRjTSd_QBwVW9OwNFhekro3RtlinV0a75jfZgkne_YiktSvLG34lw2zqXBDTC5NHROUqGTlML4PlNZS5Ri2U4aCNx2rUPRcKIlE0PuKxI4T-HIaFpv8-rdV6eUgOrB2xeI1dSFFn_nnv5OoZJEIB-VmuKn3DCUcCZSFlQPSXSfBDiUGhwOw76WuSSsf1D4b_vLoJ10w',
    },
  },
  {
    name: 'test-key-rsa-pss',
    section: 'B.1.2',
    usual: 'rsa-pss-sha512',
    jwk: {
      kty: 'RSA',
      e: 'AQAB',
      n: 'r4tmm3r20Wd_PbqvP1s2-QEtvpuRaV8Yq40gjUR8y2Rjxa6dpG2GXHbPfvMs8ct-Lh1GH45x28Rw3Ry53mm-oAXjyQ86OnDkZ5N8lYbggD4O3w6M6pAvLkhk95AndTrifbIFPNU8PPMO7OyrFAHqgDsznjPFmTOtCEcN2Z1FpWgchwuYLPL-Wokqltd11nqqzi-bJ9cvSKADYdUAAN5WUtzdpiy6LbTgSxP7ociU4Tn0g5I6aDZJ7A8Lzo0KSyZYoA485mqcO0GVAdVw9lq4aOT9v6d-nb4bnNkQVklLQ3fVAvJm-xdDOp9LCNCN48V2pnDOkFV6-U9nV5oyc6XI2w',
    },
  },
  {
    name: 'test-key-ecc-p256',
    section: 'B.1.3',
    usual: undefined,
    jwk: {
      kty: 'EC',
      crv: 'P-256',
      x: 'qIVYZVLCrPZHGHjP17CTW0_-D9Lfw0EkjqF7xB4FivA',
      y: 'Mc4nN9LTDOBhfoUeg8Ye9WedFRhnZXZJA12Qp0zZ6F0',
    },
  },
  {
    name: 'test-key-ed25519',
    section: 'B.1.4',
    usual: undefined,
    jwk: { kty: 'OKP', crv: 'Ed25519', x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs' },
  },
  {
    name: 'test-shared-secret',
    section: 'B.1.5',
    usual: undefined,
    jwk: {
      kty: 'oct',
      k: 'uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ',
    },
  },
] as const;

/** An example key, and its section of RFC 9421. */
interface ExampleKey extends NamedKey {
  readonly name: string;
  readonly section: string;
  /** The algorithm of the signatures in RFC 9421, if the key does not say. */
  readonly usual: string | undefined;
}

let keys: ReadonlyMap<string, ExampleKey> | undefined;

/** The example key of RFC 9421 that `keyid` names, by its name or its thumbprint. */
export function exampleKey(keyid: string): ExampleKey | undefined {
  keys ??= new Map(
    EXAMPLES.flatMap(({ name, section, usual, jwk }) => {
      const key = keyOf(jwk);
      if (typeof key === 'string') return [];
      const example = { ...key, name, section, usual };
      return [
        [name, example],
        [key.thumbprint, example],
      ] as const;
    }),
  );
  return keys.get(keyid);
}
