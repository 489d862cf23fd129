import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  KEY_BOUNDS,
  readVerificationKey,
} from '../../../src/http/message-signatures/verification-key.ts';

const read = (jwk: unknown) =>
  readVerificationKey(Buffer.from(JSON.stringify(jwk)).toString('base64url'));

function rsaKey(modulusLength: number, publicExponent = 65_537) {
  return generateKeyPairSync('rsa', { modulusLength, publicExponent }).publicKey.export({
    format: 'jwk',
  });
}

describe('is read', () => {
  test.each(['prime256v1', 'secp384r1', 'secp521r1'])('%s', (namedCurve) => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve });
    expect(read({ ...publicKey.export({ format: 'jwk' }), kid: 'a', use: 'sig' })).toMatchObject({
      algorithm: undefined,
    });
  });

  test('RSA, with its algorithm', () => {
    expect(read({ ...rsaKey(2048), alg: 'PS512' })).toMatchObject({ algorithm: 'PS512' });
  });

  test('RFC 7638 3.1: the thumbprint of an RSA key', () => {
    const jwk = {
      kty: 'RSA',
      n: '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw',
      e: 'AQAB',
      alg: 'RS256',
      kid: '2011-04-29',
    };
    expect(read(jwk)).toMatchObject({ thumbprint: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs' });
  });

  test('RFC 8037 A.3: the thumbprint of an Ed25519 key', () => {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
    expect(read(jwk)).toMatchObject({ thumbprint: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k' });
  });

  test('a secret', () => {
    expect(read({ kty: 'oct', k: 'AAEC' })).toMatchObject({ algorithm: undefined });
  });
});

describe('is refused', () => {
  test.each([
    ['a', 'is not a JSON Web Key in base64url'],
    [Buffer.from('[').toString('base64url'), 'is not a JSON Web Key in base64url'],
    [Buffer.from('null').toString('base64url'), 'is not a JSON Web Key in base64url'],
    ['A'.repeat(KEY_BOUNDS.characters + 1), 'has more than 4096 characters'],
  ])('text: %#', (text, problem) => {
    expect(readVerificationKey(text)).toBe(problem);
  });

  test.each([
    [{}, 'is not a valid JSON Web Key'],
    [[], 'is not a valid JSON Web Key'],
    [{ kty: 'oct' }, 'is not a valid JSON Web Key'],
    [{ kty: 'RSA', n: 5, e: 'AQAB' }, 'is not a valid JSON Web Key'],
    [{ kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }, 'is not a valid JSON Web Key'],
    [{ kty: 'oct', k: 'AA', alg: 'none' }, 'has an `alg` that is not a signature algorithm'],
    [{ kty: 'oct', k: 'AA', alg: 1 }, 'has an `alg` that is not a signature algorithm'],
    [{ kty: 'OKP', crv: 'Ed25519', x: 'AA', d: 'AA' }, 'is a private key: send the public one'],
  ])('%j', (jwk, problem) => {
    expect(read(jwk)).toBe(problem);
  });

  test('RSA with too few or too many bits, or a large exponent', () => {
    expect(read(rsaKey(512))).toMatch(/^is an RSA key of 512 bits: 1024 to 4096/);
    const n = Buffer.alloc(1024, 0xff).toString('base64url');
    expect(read({ kty: 'RSA', n, e: 'AQAB' })).toMatch(/^is an RSA key of 8192 bits/);
    const e = Buffer.alloc(5, 0xff).toString('base64url');
    expect(read({ ...rsaKey(2048), e })).toMatch(/exponent of at most 32 bits/);
  });
});
