import { describe, expect, test } from 'vitest';
import { clientHello } from '../../../src/wire/tls/client-hello-writer.ts';
import { handshakeRecords, TlsVersion } from '../../../src/wire/tls/record.ts';
import { parseClientHello } from '../../../src/wire/tls/client-hello.ts';

const { tls10, tls12, tls13 } = TlsVersion;
const offer = { versions: [tls13, tls12], servername: 'a.example', alpn: ['h2', 'http/1.1'] };
const parsed = (changes = {}) =>
  parseClientHello(handshakeRecords(clientHello({ ...offer, ...changes }), 2 ** 14));

describe('a ClientHello', () => {
  test('offers versions, name and protocols', () => {
    expect(parsed()).toMatchObject({
      legacyVersion: tls12,
      supportedVersions: [tls13, tls12],
      serverName: 'a.example',
      alpn: ['h2', 'http/1.1'],
      keyShares: [{ group: 0x1d, length: 32 }],
    });
  });

  test('of an old version has no extension of a later one', () => {
    const hello = parsed({ versions: [tls10], servername: undefined, alpn: [] });
    expect(hello).toMatchObject({ legacyVersion: tls10 });
    expect(hello?.extensions.map(({ id }) => id)).toEqual([10, 11, 23]);
  });

  test('is padded to a length', () => {
    const message = clientHello({ ...offer, paddedTo: 1900 });
    expect(message.length).toBe(1900);
    expect(parseClientHello(handshakeRecords(message, 2 ** 14))?.paddingLength).toBeGreaterThan(
      1000,
    );
  });

  test('has a key share of X25519MLKEM768 first', () => {
    expect(parsed({ hasPostQuantumShare: true })?.keyShares).toEqual([
      { group: 0x11ec, length: 1216 },
      { group: 0x1d, length: 32 },
    ]);
  });

  test('is the same in several records', () => {
    const message = clientHello(offer);
    const records = handshakeRecords(message, 100);
    expect(records.length).toBe(message.length + 5 * Math.ceil(message.length / 100));
    expect(parseClientHello(records)).toEqual(parseClientHello(handshakeRecords(message, 2 ** 14)));
  });
});
