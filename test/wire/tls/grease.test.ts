import { expect, test } from 'vitest';
import { parseClientHello, type ClientHello } from '../../../src/wire/tls/client-hello.ts';
import { greasePositions, isGrease, isGreaseMode } from '../../../src/wire/tls/grease.ts';
import { uint16s, vector } from '../../../src/wire/byte-writer.ts';
import { captured, helloOf } from './_hellos.ts';

function greaseOf(bytes: Uint8Array): Record<string, number[]> | undefined {
  const hello: ClientHello | undefined = parseClientHello(bytes);
  return hello && greasePositions(hello);
}

test('sixteen of the 16-bit code points are GREASE (RFC 8701 3.1)', () => {
  const values = Array.from({ length: 0x10000 }, (_, value) => value).filter(isGrease);
  const expected = Array.from({ length: 16 }, (_, digit) => (digit * 16 + 10) * 0x0101);
  expect(values).toEqual(expected);
});

test('eight PskKeyExchangeModes are GREASE', () => {
  const modes = Array.from({ length: 256 }, (_, mode) => mode).filter(isGreaseMode);
  expect(modes).toEqual([0x0b, 0x2a, 0x49, 0x68, 0x87, 0xa6, 0xc5, 0xe4]);
});

test('Chromium sends them in six lists', () => {
  expect(greaseOf(captured('chromium'))).toEqual({
    cipher_suites: [0xdada],
    extensions: [0xdada, 0xeaea],
    supported_groups: [0xfafa],
    key_share: [0xfafa],
    supported_versions: [0xcaca],
    signature_algorithms: [0x5a5a],
  });
});

test('OpenSSL sends none', () => {
  expect(greaseOf(captured('openssl'))).toEqual({});
});

test('they are found in ALPN and psk_key_exchange_modes', () => {
  const extensions = [
    [16, vector(2, [2, 0x3a, 0x3a, 2, 0x68, 0x32])],
    [45, vector(1, [1, 0xa6])],
    [50, vector(2, uint16s([0x0403, 0x6a6a]))],
  ] as const;
  expect(greaseOf(helloOf({ extensions }))).toEqual({
    alpn: [0x3a3a],
    psk_key_exchange_modes: [0xa6],
    signature_algorithms_cert: [0x6a6a],
  });
});
