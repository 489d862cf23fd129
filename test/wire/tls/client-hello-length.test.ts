import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientHelloLength, MAX_CLIENT_HELLO } from '../../../src/wire/tls/client-hello-length.ts';
import { handshakeRecords } from '../../../src/wire/tls/record.ts';
import { captured, captures, messageOf } from './_hellos.ts';

/** The length found for every prefix of the bytes. */
function lengths(bytes: Uint8Array): number[] {
  return Array.from({ length: bytes.length + 1 }, (_, end) =>
    clientHelloLength(bytes.subarray(0, end)),
  );
}

describe('a ClientHello that arrives one byte at a time', () => {
  test.each(captures)('%s: the length is reached at the last byte and never decreases', (name) => {
    const hello = captured(name);
    const found = lengths(hello);
    expect(found.filter((length, end) => length <= end && end < hello.length)).toEqual([]);
    expect(found).toEqual(found.toSorted((a, b) => a - b));
    // The largest, and so the bound of all.
    expect(found.at(-1)).toBe(hello.length);
  });
});

describe('a ClientHello in several records (RFC 9846 5.1)', () => {
  test.each([1, 2, 3, 4, 5, 100, 255, 256])('of %i bytes', (size) => {
    const hello = handshakeRecords(messageOf('curl'), size);
    expect(clientHelloLength(hello)).toBe(hello.length);
    expect(clientHelloLength(hello.subarray(0, -1))).toBe(hello.length);
  });

  test('of one byte each, arriving one byte at a time', () => {
    const hello = handshakeRecords(messageOf('openssl-tls10'), 1);
    const found = lengths(hello);
    expect(found.every((length, end) => length > end || end === hello.length)).toBe(true);
    expect(found).toEqual(found.toSorted((a, b) => a - b));
    expect(found.at(-1)).toBe(hello.length);
  });

  test('with empty records between', () => {
    const empty = Buffer.from([0x16, 3, 1, 0, 0]);
    const hello = Buffer.concat([empty, captured('curl'), empty]);
    expect(clientHelloLength(hello)).toBe(hello.length - empty.length);
  });
});

describe('unusual ends', () => {
  test('bytes after the ClientHello are not counted', () => {
    const hello = captured('go');
    const early = Buffer.concat([hello, Buffer.from([0x14, 3, 3, 0, 1, 1, 0x17])]);
    expect(clientHelloLength(early)).toBe(hello.length);
  });

  test('a record that includes part of the next message is counted in full', () => {
    const message = Buffer.concat([messageOf('curl'), Buffer.from([1, 2, 3])]);
    const hello = handshakeRecords(message, 0x4000);
    expect(clientHelloLength(hello)).toBe(hello.length);
  });

  test('a ClientHello of more than 64 KiB is recognized before it is complete', () => {
    const message = Buffer.alloc(4 + 0x2_0000);
    message.set([1, 2, 0, 0]);
    const hello = handshakeRecords(message, 0x4000);
    const seen = hello.subarray(0, MAX_CLIENT_HELLO - 8);
    expect(clientHelloLength(seen)).toBeGreaterThan(MAX_CLIENT_HELLO);
    expect(clientHelloLength(hello)).toBe(hello.length);
  });

  test('for a ClientHello of the maximum of 16 MiB, only the first record is counted at first', () => {
    const start = Buffer.from([0x16, 3, 1, 0, 4, 1, 0xff, 0xff, 0xff]);
    expect(clientHelloLength(start)).toBe(start.length + 5);
  });
});

const empty = (count: number): Buffer => Buffer.alloc(5 * count, Buffer.from([0x16, 3, 1, 0, 0]));

describe('other bytes end the search', () => {
  test.each([
    ['nothing yet', [], 5],
    ['an alert', [0x15, 3, 1, 0, 2, 2, 50], 0],
    ['text', [0x47, 0x45, 0x54, 0x20], 0],
    ['a ServerHello', [0x16, 3, 3, 0, 4, 2, 0, 0, 0], 9],
    ['an alert behind half a hello', [0x16, 3, 1, 0, 2, 1, 0, 0x15, 3, 1, 0, 2], 7],
  ])('%s', (_, bytes, length) => {
    expect(clientHelloLength(Uint8Array.from(bytes))).toBe(length);
  });

  test('too many records', () => {
    expect(clientHelloLength(empty(4096))).toBe(5 * 4097);
    expect(clientHelloLength(empty(13_000))).toBe(5 * 4097);
  });
});

describe('arbitrary bytes', () => {
  test('it is monotonic for a ClientHello, however it is split into records', () => {
    fc.assert(
      fc.property(fc.constantFrom(...captures), fc.integer({ min: 1, max: 700 }), (name, size) => {
        const hello = handshakeRecords(messageOf(name), size);
        const found = lengths(hello);
        expect(found).toEqual(found.toSorted((a, b) => a - b));
        expect(found.at(-1)).toBe(hello.length);
      }),
      { numRuns: 50 },
    );
  });
});
