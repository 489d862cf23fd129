import { expect, test } from 'vitest';
import { exampleKey } from '../../../src/http/message-signatures/example-keys.ts';

test.each([
  ['test-key-rsa', 'B.1.1', 'rsa-v1_5-sha256'],
  ['test-key-rsa-pss', 'B.1.2', 'rsa-pss-sha512'],
  ['test-key-ecc-p256', 'B.1.3', undefined],
  ['test-key-ed25519', 'B.1.4', undefined],
  ['test-shared-secret', 'B.1.5', undefined],
])('RFC 9421 B.1: %s', (name, section, usual) => {
  expect(exampleKey(name)).toMatchObject({ name, section, usual });
});

test('by the thumbprint that Web Bot Auth uses, too', () => {
  const thumbprint = 'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U';
  expect(exampleKey(thumbprint)?.name).toBe('test-key-ed25519');
});

test('none', () => {
  expect(exampleKey('test-key')).toBeUndefined();
  expect(exampleKey('constructor')).toBeUndefined();
});
