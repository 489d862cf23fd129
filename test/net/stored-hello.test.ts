import { describe, expect, test } from 'vitest';
import {
  helloFacts,
  MAX_STORED_HELLO,
  shortenHello,
  fullClientHello,
} from '../../src/net/stored-hello.ts';
import { handshakeRecords } from '../../src/wire/tls/record.ts';
import { uint16s, vector } from '../../src/wire/byte-writer.ts';
import { captured, helloOf } from '../wire/tls/_hellos.ts';

/** A ClientHello padded to this length. */
function padded(length: number, extensions: [number, Buffer][] = []): Buffer {
  const shorter = helloOf({ extensions: [...extensions, [21, []]] }).length;
  return helloOf({ extensions: [...extensions, [21, Array<number>(length - shorter).fill(0)]] });
}

describe('the stored ClientHello', () => {
  test('up to 8 KiB is stored as sent', () => {
    const hello = padded(MAX_STORED_HELLO);
    expect(hello).toHaveLength(MAX_STORED_HELLO);
    expect(shortenHello(hello)).toBe(hello);
    expect(fullClientHello(hello)).toMatchObject({ paddingLength: expect.any(Number) });
  });

  test('a longer one is stored as facts, without the texts of JA3', () => {
    const hello = padded(MAX_STORED_HELLO + 1, [
      [0, vector(2, [0, ...vector(2, Buffer.from('a.example'))])],
      [10, vector(2, uint16s([0x11ec]))],
      [16, vector(2, vector(1, Buffer.from('h2')))],
    ]);
    const kept = shortenHello(hello);
    expect(kept).toEqual({
      length: MAX_STORED_HELLO + 1,
      facts: { ...helloFacts(hello), ja3: undefined, ja3n: undefined },
    });
    expect(helloFacts(kept)).toMatchObject({
      serverName: 'a.example',
      ja4: expect.stringMatching(/^t12d0104h2_/),
      alpn: ['h2'],
      versions: [0x0303],
      offersPostQuantum: true,
    });
    expect(fullClientHello(kept)).toBeUndefined();
    expect(shortenHello(kept)).toBe(kept);
  });

  test('lists and the host name are truncated', () => {
    const name = Buffer.alloc(10_000, 'a');
    const alpn = Buffer.concat(Array.from({ length: 30 }, () => vector(1, Buffer.from('x'))));
    const kept = shortenHello(
      helloOf({
        extensions: [
          [0, vector(2, [0, ...vector(2, name)])],
          [16, vector(2, alpn)],
          [43, vector(1, uint16s(Array<number>(30).fill(0x0303)))],
        ],
      }),
    );
    const facts = helloFacts(kept);
    expect(facts?.serverName).toBe('a'.repeat(255));
    expect(facts?.alpn).toHaveLength(20);
    expect(facts?.versions).toHaveLength(20);
  });

  test('for an invalid ClientHello only its length is stored', () => {
    const kept = shortenHello(new Uint8Array(9000));
    expect(kept).toEqual({ length: 9000, facts: undefined });
    expect(helloFacts(kept)).toBeUndefined();
  });

  test('the facts of a full one include its JA3', () => {
    const facts = helloFacts(handshakeRecords(captured('curl').subarray(5), 100));
    expect(facts).toMatchObject({
      ja3: expect.stringMatching(/^771,/),
      ja3Hash: '0149f47eabf9a20d0893e2a44e5a6323',
      offersPostQuantum: false,
    });
  });
});
