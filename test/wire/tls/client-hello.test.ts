import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseClientHello } from '../../../src/wire/tls/client-hello.ts';
import { handshakeRecords } from '../../../src/wire/tls/record.ts';
import { vector } from '../../../src/wire/byte-writer.ts';
import { captured, captures, helloOf, messageOf } from './_hellos.ts';
import { rounds } from '../../_whole.ts';

describe('captured hellos', () => {
  test.each([
    ['chrome150', 0x0303, 32, 16, 18],
    ['chromium', 0x0303, 32, 16, 19],
    ['curl', 0x0303, 32, 31, 12],
    ['curl-tls12-address', 0x0303, 0, 28, 6],
    ['edge101', 0x0303, 32, 16, 18],
    ['firefox147', 0x0303, 32, 17, 17],
    ['go', 0x0303, 32, 13, 12],
    ['nghttp', 0x0303, 32, 12, 13],
    ['node', 0x0303, 32, 59, 10],
    ['node-http2', 0x0303, 32, 59, 11],
    ['node24-http2', 0x0303, 32, 52, 12],
    ['openssl', 0x0303, 32, 31, 11],
    ['openssl-early-data', 0x0303, 32, 31, 12],
    ['openssl-ticket', 0x0303, 32, 28, 7],
    ['openssl-tls10', 0x0301, 0, 23, 5],
    ['python', 0x0303, 32, 18, 11],
    ['safari2601', 0x0303, 32, 21, 15],
  ])('%s: version, session ID, number of suites and extensions', (name, ...facts) => {
    const hello = parseClientHello(captured(name));
    expect([
      hello?.legacyVersion,
      hello?.sessionId.length,
      hello?.cipherSuites.length,
      hello?.extensions.length,
    ]).toEqual(facts);
    expect(hello?.random).toHaveLength(32);
    expect(hello?.compressionMethods).toEqual([0]);
  });

  test('the list above is complete', () => {
    expect(captures).toHaveLength(17);
  });

  test.each(captures)('%s: the same however it is split into records (RFC 9846 5.1)', (name) => {
    const whole = parseClientHello(captured(name));
    expect(whole).toBeDefined();
    for (const size of [1, 7, 100]) {
      expect(parseClientHello(handshakeRecords(messageOf(name), size))).toEqual(whole);
    }
  });

  test('extensions are in the order of the client', () => {
    const hello = parseClientHello(captured('openssl'));
    expect(hello?.extensions.map(({ id }) => id)).toEqual([
      0, 11, 10, 35, 16, 22, 23, 13, 43, 45, 51,
    ]);
  });
});

describe('invalid ClientHellos', () => {
  const { length } = captured('curl');

  test.each(Array.from({ length: length - 1 }, (_, end) => end))('its first %i bytes', (end) => {
    expect(parseClientHello(captured('curl').subarray(0, end))).toBeUndefined();
  });

  test.each([
    ['a ServerHello', [0x16, 3, 3, 0, 4, 2, 0, 0, 0]],
    ['a record of another type', [0x15, 3, 1, 0, 2, 2, 50]],
    ['a record of another type after it', [...captured('go'), 0x14, 3, 3, 0, 1, 1]],
    ['a list of suites of odd length', withBody([3, 3, ...random(), 0, 0, 3, 0x13, 1, 0, 1, 0])],
    [
      'a session id of 33 bytes',
      withBody([3, 3, ...random(), ...vector(1, Array(33).fill(7)), 0, 0, 1, 0]),
    ],
    ['bytes behind the extensions', withBody([3, 3, ...random(), 0, 0, 0, 1, 0, 0, 0, 9])],
  ])('%s', (_, bytes) => {
    expect(parseClientHello(Uint8Array.from(bytes))).toBeUndefined();
  });

  test('it is valid without extensions (RFC 5246 7.4.1.2)', () => {
    const hello = parseClientHello(helloOf({ legacyVersion: 0x0301, cipherSuites: [5, 4] }));
    expect(hello).toMatchObject({ legacyVersion: 0x0301, cipherSuites: [5, 4], extensions: [] });
    expect(hello?.serverName).toBeUndefined();
  });
});

test('arbitrary bytes in an extension do not affect the rest', () => {
  const types = [0, 10, 11, 13, 16, 21, 35, 41, 42, 43, 45, 50, 51, 0xfe0d];
  const extension = fc.tuple(fc.constantFrom(...types), fc.uint8Array({ maxLength: 40 }));
  fc.assert(
    fc.property(fc.array(extension, { maxLength: 8 }), (extensions) => {
      const hello = parseClientHello(helloOf({ extensions }));
      expect(hello?.extensions.map(({ id }) => id)).toEqual(extensions.map(([id]) => id));
    }),
    { numRuns: rounds(400) },
  );
});

function withBody(body: number[]): Uint8Array {
  return handshakeRecords(Uint8Array.from([1, ...vector(3, body)]), 0x4000);
}

function random(): number[] {
  return Array.from({ length: 32 }, () => 0xab);
}
