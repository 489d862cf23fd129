import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { readPackets } from '../../../src/wire/quic/packet-reader.ts';
import { CLIENT_ID, v1, v2 } from './_samples.ts';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const read = (datagram: Buffer, idLength = 8) => [...readPackets(datagram, idLength)];
const ids = { destinationId: CLIENT_ID, sourceId: Buffer.alloc(0), token: Buffer.alloc(0) };

/** A long header, the length of what follows it, and that. */
const long = (first: string, middle: string, length = 20): Buffer =>
  Buffer.concat([hex(`${first}${middle}${(0x4000 + length).toString(16)}`), Buffer.alloc(length)]);

test.each([
  ['1', v1, 1],
  ['2', v2, 0x6b33_43cf],
])('the Initial packets of version %s', (_, sample, version) => {
  const client = hex(sample.clientInitial);
  expect(read(client)).toEqual([
    { kind: 'initial', version, ...ids, start: 0, end: 1200, numberOffset: 18 },
  ]);
  const server = hex(sample.serverInitial);
  expect(read(server)).toMatchObject([
    { kind: 'initial', sourceId: hex('f067a5502a4262b5'), end: 135, numberOffset: 18 },
  ]);
});

test.each([
  ['c0', '00000001', 'initial'],
  ['d0', '00000001', '0-rtt'],
  ['e0', '00000001', 'handshake'],
  ['d0', '6b3343cf', 'initial'],
  ['e0', '6b3343cf', '0-rtt'],
  ['f0', '6b3343cf', 'handshake'],
])('%s in version %s is %s', (first, version, kind) => {
  const token = kind === 'initial' ? '02abcd' : '';
  const [packet] = read(long(first, `${version}01aa02bbcc${token}`));
  expect(packet).toMatchObject({
    kind,
    version: Number.parseInt(version, 16),
    destinationId: hex('aa'),
    sourceId: hex('bbcc'),
    token: hex(token.slice(2)),
  });
});

test('coalesced packets, the last of them with a short header', () => {
  const handshake = long('e0', '0000000101aa00');
  const short = Buffer.concat([hex('40aa'), Buffer.alloc(30)]);
  const packets = read(Buffer.concat([handshake, handshake, short]), 1);
  const end = handshake.length;
  expect(packets).toMatchObject([
    { kind: 'handshake', start: 0, end, numberOffset: end - 20 },
    { kind: 'handshake', start: end, end: 2 * end, numberOffset: 2 * end - 20 },
    { kind: '1-rtt', start: 2 * end, end: 2 * end + 32, numberOffset: 2 * end + 2 },
  ]);
});

test('a coalesced packet for another connection is no packet, and does not hide the next one', () => {
  const mine = long('e0', '0000000101aa00');
  const other = long('e0', '0000000101ab00');
  const packets = read(Buffer.concat([mine, other, mine]));
  expect(packets.map(({ kind }) => kind)).toEqual(['handshake', 'invalid', 'handshake']);
  expect(packets[1]).toMatchObject({ reason: 'other-connection-id' });
});

test('of other versions, the invariants are read, with connection IDs of any length', () => {
  const id = 'ab'.repeat(255);
  const [packet] = read(hex(`80ff00001dff${id}ff${id}0102`));
  expect(packet).toEqual({
    kind: 'unknown-version',
    version: 0xff00_001d,
    destinationId: hex(id),
    sourceId: hex(id),
    start: 0,
    end: 519,
  });
});

test('Version Negotiation keeps the versions in their order', () => {
  const [packet] = read(hex('8a0000000001aa01bb6b3343cf000000011a2a3a4a'));
  expect(packet).toMatchObject({
    kind: 'version-negotiation',
    versions: [0x6b33_43cf, 1, 0x1a2a_3a4a],
  });
});

test.each([
  ['a short header without the Fixed Bit', '00'.repeat(60), 'fixed-bit'],
  ['a long header without the Fixed Bit', `800000000100000040${'14'.repeat(40)}`, 'fixed-bit'],
  ['a short header without a sample', `40${'00'.repeat(27)}`, 'too-short'],
  ['a long header without a sample', `e0000000010000${'13'.padEnd(40, '0')}`, 'too-short'],
  ['a long header that ends early', 'c000000001', 'truncated'],
  ['a connection ID that ends early', 'c00000000105aabbcc', 'truncated'],
  ['a token that ends early', `c000000001000040ff${'00'.repeat(40)}`, 'truncated'],
  ['a token of 2^62 - 1 bytes', `c0000000010000${'ff'.repeat(8)}${'00'.repeat(40)}`, 'truncated'],
  ['a Length after the datagram', `e0000000010000${'15'.padEnd(42, '0')}`, 'truncated'],
  ['a Length of 2^62 - 1', `e0000000010000${'ff'.repeat(8)}${'00'.repeat(40)}`, 'truncated'],
  ['a long connection ID', `c00000000115${'00'.repeat(60)}`, 'connection-id-length'],
  ['a long one of the sender', `c0000000010015${'00'.repeat(60)}`, 'connection-id-length'],
  ['a Retry that ends early', `f0000000010000${'00'.repeat(15)}`, 'truncated'],
  ['a Retry without a token', `f0000000010000${'00'.repeat(16)}`, 'token'],
  ['Version Negotiation without versions', '80000000000000', 'versions'],
  ['Version Negotiation with half of one', '800000000000000000', 'versions'],
])('%s is no packet', (_, bytes, reason) => {
  expect(read(hex(bytes))[0]).toMatchObject({ kind: 'invalid', reason });
});

test('random bytes are read in pieces that add up to the datagram', () => {
  for (let run = 0; run < 20_000; run++) {
    const datagram = randomBytes(1 + Math.floor(Math.random() * 100));
    if (run % 2 === 0 && datagram.length > 6) {
      datagram.writeUInt8(0xc0 | (datagram.readUInt8() & 0x3f));
      datagram.writeUInt32BE(run % 4 === 0 ? 1 : 0x6b33_43cf, 1);
      datagram.writeUInt8(datagram.readUInt8(5) % 8, 5);
    }
    let end = 0;
    for (const packet of readPackets(datagram, run % 21)) {
      expect(packet.start).toBe(end);
      expect(packet.end).toBeGreaterThan(end);
      end = packet.end;
    }
    expect(end).toBe(datagram.length);
  }
});
