import { describe, expect, test } from 'vitest';
import {
  answerKeyExchange,
  Group,
  GROUPS,
  startKeyExchange,
} from '../../../src/quic/tls/key-exchange.ts';

/** Bytes of a share of the client and of the server. */
const LENGTHS: Readonly<Record<Group, readonly [number, number]>> = {
  [Group.x25519]: [32, 32],
  [Group.secp256r1]: [65, 65],
  [Group.secp384r1]: [97, 97],
  [Group.x25519MlKem768]: [1216, 1120],
};

describe.each(GROUPS)('group %i', (group) => {
  test('gives both sides the same secret', () => {
    const client = startKeyExchange(group);
    const server = answerKeyExchange(group, client.share);
    expect([client.share.length, server?.share.length]).toEqual(LENGTHS[group]);
    expect(client.secretWith(server?.share ?? Buffer.alloc(0))).toEqual(server?.secret);
  });

  test('refuses shares of another length, also as a client', () => {
    const client = startKeyExchange(group);
    for (const wrong of [client.share.subarray(1), Buffer.concat([client.share, Buffer.of(0)])]) {
      expect(answerKeyExchange(group, wrong)).toBeUndefined();
      expect(client.secretWith(wrong)).toBeUndefined();
    }
    expect(answerKeyExchange(group, Buffer.alloc(0))).toBeUndefined();
  });
});

test('X25519 refuses a point of small order (RFC 9846 7.4.2)', () => {
  expect(answerKeyExchange(Group.x25519, Buffer.alloc(32))).toBeUndefined();
});

test.each([Group.secp256r1, Group.secp384r1])(
  'curve %i refuses points that are not on it, or have another form',
  (group) => {
    const { share } = startKeyExchange(group);
    const wrong = Buffer.from(share);
    wrong.writeUInt8(wrong.readUInt8(wrong.length - 1) ^ 1, wrong.length - 1);
    expect(answerKeyExchange(group, wrong)).toBeUndefined();
    const hybrid = Buffer.from(share);
    hybrid[0] = 6;
    expect(answerKeyExchange(group, hybrid)).toBeUndefined();
  },
);

test.runIf(GROUPS.includes(Group.x25519MlKem768))(
  'ML-KEM refuses a key whose coefficients are too large (FIPS 203 7.2)',
  () => {
    const { share } = startKeyExchange(Group.x25519MlKem768);
    expect(answerKeyExchange(Group.x25519MlKem768, Buffer.from(share).fill(0xff, 0, 1152))).toBe(
      undefined,
    );
  },
);

test('bytes of any kind are refused or give a secret', () => {
  for (const group of GROUPS)
    for (let length = 0; length < 1300; length += 13)
      expect(() => answerKeyExchange(group, Buffer.alloc(length, length))).not.toThrow();
});
