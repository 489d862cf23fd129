import { createCipheriv, createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { TlsReader } from '../../../src/inspect/tls/tls-reader.ts';
import { TrafficKeys } from '../../../src/inspect/tls/traffic-keys.ts';

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const record = (length: number) => ({
  number: 0,
  offset: 0,
  type: 23,
  version: 0x0303,
  length,
  time: 0,
});

// RFC 8448 3: the alerts at the end of the simple 1-RTT handshake.
const CLIENT_SECRET = '9e40646ce79a7f9dc05af8889bce6552875afa0b06df0087f792ebb7c17504a5';
const SERVER_SECRET = 'a11af9f05531f856ad47116b45a950328204b4f44bfb6b3a4b4f1f3fcb631643';
const CLIENT_ALERT = 'c9 87 27 60 65 56 66 b7 4d 7f f1 15 3e fd 6d b6 d0 b0 e3';
const SERVER_ALERT = 'b5 8f d6 71 66 eb f5 99 d2 47 20 cf be 7e fa 7a 88 64 a9';

test.each([
  [CLIENT_SECRET, CLIENT_ALERT, 1],
  [SERVER_SECRET, SERVER_ALERT, 2],
])('an alert of RFC 8448', (secret, content, sequence) => {
  const keys = TrafficKeys.of(0x1301, bytes(secret));
  expect(keys?.open(record(19), bytes(content), sequence)).toEqual({
    type: 21,
    content: Buffer.of(1, 0),
  });
  expect(keys?.open(record(19), bytes(content), sequence + 1)).toBeUndefined();
  expect(keys?.open(record(3), Buffer.of(1, 2, 3), 0)).toBeUndefined();
});

test('other cipher suites are not decrypted', () => {
  expect(TrafficKeys.of(0x1304, bytes(CLIENT_SECRET))).toBeUndefined();
});

/** HKDF-Expand-Label of SHA-256 (RFC 9846 7.1). */
function expand(secret: Buffer, label: string, length: number): Buffer {
  const info = Buffer.from(
    `\0${String.fromCharCode(length, label.length + 6)}tls13 ${label}\0\x01`,
    'latin1',
  );
  return createHmac('sha256', secret).update(info).digest().subarray(0, length);
}

/** An encrypted record of TLS_AES_128_GCM_SHA256. */
function sealed(secret: Buffer, sequence: number, type: number, content: Buffer): Buffer {
  const header = Buffer.of(23, 3, 3, 0, content.length + 17);
  const nonce = expand(secret, 'iv', 12);
  nonce[11] = (nonce[11] ?? 0) ^ sequence;
  const cipher = createCipheriv('aes-128-gcm', expand(secret, 'key', 16), nonce);
  cipher.setAAD(header);
  const data = Buffer.concat([cipher.update(Buffer.from([...content, type])), cipher.final()]);
  return Buffer.concat([header, data, cipher.getAuthTag()]);
}

const SERVER_HELLO = Buffer.concat([
  bytes('160303 0032 0200002e 0303'),
  Buffer.alloc(32, 1),
  bytes('00 1301 00 0006 002b 0002 0304'),
]);
const KEY_UPDATE = bytes('18 000001 00');
const CLOSE_NOTIFY = Buffer.of(1, 0);

describe('a connection of TLS 1.3', () => {
  const secret = bytes(CLIENT_SECRET);
  const next = expand(secret, 'traffic upd', 32);
  const read = (...records: Buffer[]) => {
    const reader = new TlsReader(100);
    reader.sent(SERVER_HELLO, 0);
    reader.keyLog(`CLIENT_TRAFFIC_SECRET_0 00 ${CLIENT_SECRET}`);
    // Finished, with the keys of the handshake.
    reader.received(sealed(bytes(SERVER_SECRET), 0, 22, Buffer.alloc(36)), 0);
    for (const each of records) reader.received(each, 0);
    return reader.trace.client;
  };

  test('after a KeyUpdate is decrypted with the next keys (RFC 9846 4.7.3)', () => {
    const data = Array.from({ length: 50 }, (_, at) => sealed(secret, at, 23, Buffer.alloc(30)));
    const { alerts, closeNotify } = read(
      ...data,
      sealed(secret, 50, 22, KEY_UPDATE),
      sealed(next, 0, 23, Buffer.from('ab')),
      sealed(next, 1, 21, CLOSE_NOTIFY),
    );
    expect(alerts).toEqual([{ record: 53, time: 0, level: 1, description: 0, isEncrypted: true }]);
    expect(closeNotify).toEqual({ isSent: true, basis: 'decrypted' });
  });

  test('that cannot be decrypted is estimated', () => {
    expect(
      read(sealed(secret, 0, 23, Buffer.alloc(30)), sealed(next, 7, 21, CLOSE_NOTIFY)).closeNotify,
    ).toEqual({
      isSent: true,
      basis: 'size',
    });
  });

  test('padding is removed (RFC 9846 5.4)', () => {
    const padded = sealed(secret, 0, 0, Buffer.from([...CLOSE_NOTIFY, 21, 0, 0]));
    expect(read(padded).closeNotify).toEqual({ isSent: true, basis: 'decrypted' });
  });
});
