import { expect, test } from 'vitest';
import { hkdfExpandLabel, hkdfExtract } from '../../../src/wire/tls/hkdf.ts';

const EMPTY = new Uint8Array(0);
const hex = (text: string): Buffer => Buffer.from(text, 'hex');

test('the secrets of an Initial packet are those of RFC 9001 A.1', () => {
  const salt = hex('38762cf7f55934b34d179ae6a4c80cadccbb7f0a');
  const initial = hkdfExtract('sha256', salt, hex('8394c8f03e515708'));
  const client = hkdfExpandLabel('sha256', initial, 'client in', EMPTY, 32);
  expect(client.toString('hex')).toBe(
    'c00cf151ca5be075ed0ebfb5c80323c42d6b7db67881289af4008f1f6c357aea',
  );
  const key = hkdfExpandLabel('sha256', client, 'quic key', EMPTY, 16);
  expect(key.toString('hex')).toBe('1f369613dd76d5467730efcbe3b1a22d');
});

test('a length of several hashes continues the same stream', () => {
  const secret = Buffer.alloc(48, 1);
  const long = hkdfExpandLabel('sha384', secret, 'exp', Buffer.from('context'), 100);
  expect(long.length).toBe(100);
  // The length is in the label, so a shorter one is another stream.
  expect(long.subarray(0, 48)).not.toEqual(
    hkdfExpandLabel('sha384', secret, 'exp', Buffer.from('context'), 48),
  );
});
