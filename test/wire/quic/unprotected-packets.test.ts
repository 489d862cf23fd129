import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { readPacket } from '../../../src/wire/quic/packet-reader.ts';
import {
  isAuthenticRetry,
  resetTokenOf,
  retry,
  statelessReset,
  versionNegotiation,
} from '../../../src/wire/quic/unprotected-packets.ts';
import { CLIENT_ID, v1, v2 } from './_samples.ts';

const serverId = Buffer.from('f067a5502a4262b5', 'hex');
const none = Buffer.alloc(0);

test.each([
  ['RFC 9001 A.4', 1, v1.retry],
  ['RFC 9369 A.4', 0x6b33_43cf, v2.retry],
] as const)('the Retry packet of %s', (_, version, sample) => {
  const fields = { version, destinationId: none, sourceId: serverId, token: Buffer.from('token') };
  const bytes = retry(fields, CLIENT_ID);
  expect(bytes.toString('hex')).toBe(sample);
  const packet = readPacket(bytes, 0, 8);
  expect(packet).toEqual({ kind: 'retry', start: 0, end: bytes.length, ...fields });
  if (packet.kind !== 'retry') throw new Error('not reached');
  expect(isAuthenticRetry(bytes, packet, CLIENT_ID)).toBe(true);
  expect(isAuthenticRetry(bytes, packet, serverId)).toBe(false);
  for (let at = 15; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    expect(isAuthenticRetry(changed, packet, CLIENT_ID)).toBe(false);
  }
});

test('Version Negotiation is read as it was written', () => {
  const versions = [0x0a1a_2a3a, 1, 0x6b33_43cf];
  const bytes = versionNegotiation(serverId, randomBytes(255), versions);
  // The Fixed Bit is set, for those who tell QUIC from other protocols by it.
  expect(bytes.readUInt8() & 0xc0).toBe(0xc0);
  expect(readPacket(bytes, 0, 8)).toMatchObject({
    kind: 'version-negotiation',
    destinationId: serverId,
    versions,
  });
});

test('a Stateless Reset looks like a packet with a short header, and ends with the token', () => {
  const token = randomBytes(16);
  for (const length of [21, 43, 1200]) {
    const bytes = statelessReset(token, length);
    expect(bytes).toHaveLength(length);
    expect(readPacket(bytes, 0, 0)).toMatchObject({ kind: '1-rtt' });
    expect(resetTokenOf(bytes)).toEqual(token);
  }
  expect(resetTokenOf(randomBytes(20))).toBeUndefined();
});
