import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { isSignedBy, schemesOf, signHandshake } from '../../../src/quic/tls/signatures.ts';

const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength });
const TRANSCRIPT = Buffer.alloc(32, 1);

test('a key signs with each of its schemes, and verifies only that', () => {
  const keys = [
    generateKeyPairSync('ec', { namedCurve: 'prime256v1' }),
    generateKeyPairSync('ec', { namedCurve: 'secp384r1' }),
    generateKeyPairSync('ed25519'),
    rsa(2048),
    rsa(1024),
  ];
  for (const { publicKey, privateKey } of keys) {
    expect(schemesOf(privateKey)).toEqual(schemesOf(publicKey));
    for (const scheme of schemesOf(privateKey)) {
      const signature = signHandshake(scheme, privateKey, TRANSCRIPT);
      expect(isSignedBy(scheme, publicKey, TRANSCRIPT, signature)).toBe(true);
      expect(isSignedBy(scheme, publicKey, Buffer.alloc(32), signature)).toBe(false);
      expect(isSignedBy(scheme, publicKey, TRANSCRIPT, Buffer.alloc(5))).toBe(false);
    }
  }
});

test('the schemes of a key follow from its type, curve and length', () => {
  expect(schemesOf(rsa(2048).publicKey)).toEqual([0x0804, 0x0805, 0x0806]);
  // SHA-512 and its salt do not fit into 1,024 bits.
  expect(schemesOf(rsa(1024).publicKey)).toEqual([0x0804]);
  expect(schemesOf(generateKeyPairSync('x25519').publicKey)).toEqual([]);
  expect(schemesOf(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey)).toEqual([]);
});
