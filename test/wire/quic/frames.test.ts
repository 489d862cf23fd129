import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { cryptoOverhead, streamOverhead, writeFrame } from '../../../src/wire/quic/frame-writer.ts';
import {
  frameRules,
  isAckEliciting,
  isProbing,
  type Frame,
} from '../../../src/wire/quic/frames.ts';
import { FrameReader } from '../../../src/wire/quic/frame-reader.ts';
import type { Role } from '../../../src/wire/quic/names.ts';
import type { ProtectedKind } from '../../../src/wire/quic/packet.ts';
import { PacketWriter } from '../../../src/wire/quic/packet-writer.ts';
import { CLIENT_FRAMES, SERVER_FRAMES } from './_samples.ts';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

/** The frames of a payload, and the rule that it breaks. */
function read(payload: Buffer, packet: ProtectedKind = '1-rtt', sender: Role = 'server') {
  const reader = new FrameReader(payload, packet, sender);
  const frames: Frame[] = [];
  for (let frame = reader.next(); frame; frame = reader.next()) frames.push(frame);
  return { frames, violation: reader.violation, type: reader.type };
}

function written(...frames: readonly Frame[]): Buffer {
  const writer = new PacketWriter(4);
  for (const frame of frames) writeFrame(writer, frame);
  return Buffer.from(writer.written);
}

const code = 2n ** 62n - 1n;
const eight = hex('0123456789abcdef');

/** Each kind of frame, and its bytes. */
const samples: readonly (readonly [bytes: string, frame: Frame])[] = [
  ['000000', { kind: 'padding', length: 3 }],
  ['01', { kind: 'ping' }],
  ['0205030000', { kind: 'ack', delay: 3, ranges: [{ smallest: 5, largest: 5 }], ecn: undefined }],
  [
    '0344e8030102034040050607',
    {
      kind: 'ack',
      delay: 3,
      ranges: [
        { smallest: 1254, largest: 1256 },
        { smallest: 1185, largest: 1249 },
      ],
      ecn: { ect0: 5, ect1: 6, ce: 7 },
    },
  ],
  ['0404ffffffffffffffff05', { kind: 'reset-stream', stream: 4, code, finalSize: 5 }],
  ['05044100', { kind: 'stop-sending', stream: 4, code: 256 }],
  ['060303abcdef', { kind: 'crypto', offset: 3, data: hex('abcdef') }],
  ['0702abcd', { kind: 'new-token', token: hex('abcd') }],
  ['0a0402abcd', { kind: 'stream', stream: 4, offset: 0, data: hex('abcd'), isLast: false }],
  ['0f04407f00', { kind: 'stream', stream: 4, offset: 127, data: hex(''), isLast: true }],
  ['1005', { kind: 'max-data', maximum: 5 }],
  ['110405', { kind: 'max-stream-data', stream: 4, maximum: 5 }],
  ['12d000000000000000', { kind: 'max-streams', direction: 'bidi', maximum: 2 ** 53 - 1 }],
  ['1305', { kind: 'max-streams', direction: 'uni', maximum: 5 }],
  ['1405', { kind: 'data-blocked', maximum: 5 }],
  ['150405', { kind: 'stream-data-blocked', stream: 4, maximum: 5 }],
  ['1605', { kind: 'streams-blocked', direction: 'bidi', maximum: 5 }],
  ['1705', { kind: 'streams-blocked', direction: 'uni', maximum: 5 }],
  [
    `18050402abcd${'ee'.repeat(16)}`,
    {
      kind: 'new-connection-id',
      sequence: 5,
      retirePriorTo: 4,
      connectionId: hex('abcd'),
      resetToken: Buffer.alloc(16, 0xee),
    },
  ],
  ['1905', { kind: 'retire-connection-id', sequence: 5 }],
  ['1a0123456789abcdef', { kind: 'path-challenge', data: eight }],
  ['1b0123456789abcdef', { kind: 'path-response', data: eight }],
  ['1c0a080161', { kind: 'connection-close', code: 10, frameType: 8, reason: hex('61') }],
  ['1d41000161', { kind: 'application-close', code: 256, reason: hex('61') }],
  ['1e', { kind: 'handshake-done' }],
  ['3102abcd', { kind: 'datagram', data: hex('abcd') }],
];

test.each(samples)('%s is read and written', (bytes, frame) => {
  const { frames, violation } = read(hex(bytes));
  expect(violation).toBeUndefined();
  expect(frames).toEqual([frame]);
  const again = written(frame);
  // What is larger than a double is not written as it was read.
  if (frame.kind === 'max-streams' && frame.maximum > 5) expect(again).toHaveLength(9);
  else expect(again.toString('hex')).toBe(bytes);
});

test('all of them are one payload', () => {
  const { frames, violation } = read(hex(samples.map(([bytes]) => bytes).join('')));
  expect(violation).toBeUndefined();
  expect(frames).toEqual(samples.map(([, frame]) => frame));
});

test('STREAM and DATAGRAM without a length take the rest', () => {
  expect(read(hex('09040102')).frames).toEqual([
    { kind: 'stream', stream: 4, offset: 0, data: hex('0102'), isLast: true },
  ]);
  expect(read(hex('0c0405')).frames).toMatchObject([{ offset: 5, data: hex(''), isLast: false }]);
  expect(read(hex('30010203')).frames).toEqual([{ kind: 'datagram', data: hex('010203') }]);
});

test('the frames of RFC 9001 A', () => {
  const client = read(Buffer.concat([hex(CLIENT_FRAMES), Buffer.alloc(917)]), 'initial', 'client');
  expect(client.frames.map(({ kind }) => kind)).toEqual(['crypto', 'padding']);
  expect(client.frames[1]).toEqual({ kind: 'padding', length: 917 });
  expect(read(hex(SERVER_FRAMES), 'initial').frames).toMatchObject([
    { kind: 'ack', ranges: [{ smallest: 0, largest: 0 }] },
    { kind: 'crypto', offset: 0, data: { length: 90 } },
  ]);
});

/** RFC 9000 12.4, table 3, and RFC 9221 4: types, packets, and N and P of the column Spec. */
const table3 = `
  00 IH01 NP | 01 IH01   | 02 IH_1 N  | 03 IH_1 N  | 04 __01   | 05 __01   | 06 IH_1    | 07 ___1
  08 __01    | 09 __01   | 0a __01    | 0b __01    | 0c __01   | 0d __01   | 0e __01    | 0f __01
  10 __01    | 11 __01   | 12 __01    | 13 __01    | 14 __01   | 15 __01   | 16 __01    | 17 __01
  18 __01 P  | 19 __01   | 1a __01 P  | 1b ___1 P  | 1c IH01 N | 1d __01 N | 1e ___1    | 30 __01
  31 __01`
  .split(/[|\n]/)
  .filter((row) => row.trim() !== '')
  .map((row) => row.trim().split(/ +/));

test('the table has all types', () => {
  expect(table3.map(([type = '']) => Number.parseInt(type, 16))).toEqual(
    Object.keys(frameRules).map(Number),
  );
});

const packets = ['initial', 'handshake', '0-rtt', '1-rtt'] as const;

test.each(table3)('frame type %s is in packets %s, %s', (type, allowed = '', spec = '') => {
  const payload = hex(`${type}3f040100${'00'.repeat(64)}`);
  for (const [at, packet] of packets.entries()) {
    const reader = new FrameReader(payload, packet, 'server');
    const frame = reader.next();
    const isRefused = reader.violation?.section === 'RFC 9000 12.4';
    expect(isRefused).toBe(allowed[at] === '_');
    if (isRefused) continue;
    if (!frame) throw new Error('not read');
    expect(isAckEliciting(frame)).toBe(!spec.includes('N'));
    expect(isProbing(frame)).toBe(spec.includes('P'));
  }
});

test.each([
  ['no frames', '', '12.4', 'PROTOCOL_VIOLATION'],
  ['an unknown type', '2f', '12.4', 'FRAME_ENCODING_ERROR'],
  ['an unknown large type', 'ffffffffffffffff', '12.4', 'FRAME_ENCODING_ERROR'],
  ['half a type', '40', '12.4', 'FRAME_ENCODING_ERROR'],
  ['a type in two bytes', '4001', '12.4', 'PROTOCOL_VIOLATION'],
  ['a type in eight bytes', 'c000000000000001', '12.4', 'PROTOCOL_VIOLATION'],
  ['an ACK range below 0', '0205000006', '19.3.1', 'FRAME_ENCODING_ERROR'],
  ['an ACK gap below 0', '02050001030100', '19.3.1', 'FRAME_ENCODING_ERROR'],
  ['an ACK range after a gap below 0', '02090001030104', '19.3.1', 'FRAME_ENCODING_ERROR'],
  [
    '2^62 - 1 ACK ranges',
    `02c0ffffffffffffff00${'ff'.repeat(8)}00`,
    '19.3',
    'FRAME_ENCODING_ERROR',
  ],
  ['an ACK without ECN counts', '03050000000102', '19.3', 'FRAME_ENCODING_ERROR'],
  ['CRYPTO longer than the packet', '060005abcd', '19.6', 'FRAME_ENCODING_ERROR'],
  ['CRYPTO up to 2^62', '06ffffffffffffffff01ab', '19.6', 'FRAME_ENCODING_ERROR'],
  ['an empty token', '0700', '19.7', 'FRAME_ENCODING_ERROR'],
  ['STREAM longer than the packet', '0a0405abcd', '19.8', 'FRAME_ENCODING_ERROR'],
  ['STREAM up to 2^62', '0c04ffffffffffffffffab', '19.8', 'FRAME_ENCODING_ERROR'],
  ['2^60 + 1 bidirectional streams', '12d000000000000001', '19.11', 'FRAME_ENCODING_ERROR'],
  ['2^60 + 1 unidirectional streams', '13d000000000000001', '19.11', 'FRAME_ENCODING_ERROR'],
  ['blocked at 2^60 + 1 streams', '16d000000000000001', '19.14', 'FRAME_ENCODING_ERROR'],
  ['an empty connection ID', `18050000${'00'.repeat(16)}`, '19.15', 'FRAME_ENCODING_ERROR'],
  ['a connection ID of 21 bytes', `18050015${'00'.repeat(37)}`, '19.15', 'FRAME_ENCODING_ERROR'],
  ['Retire Prior To in the future', `18050601${'00'.repeat(17)}`, '19.15', 'FRAME_ENCODING_ERROR'],
  ['a reset token of 15 bytes', `18050001${'00'.repeat(16)}`, '19.15', 'FRAME_ENCODING_ERROR'],
  ['half of PATH_CHALLENGE', '1a01020304050607', '19.17', 'FRAME_ENCODING_ERROR'],
  ['a reason longer than the packet', '1c00000561', '19.19', 'FRAME_ENCODING_ERROR'],
])('%s', (_, bytes, section, error) => {
  // What comes before is read.
  const before = bytes === '' ? '' : '01';
  const { frames, violation } = read(hex(before + bytes));
  expect(frames).toHaveLength(before === '' ? 0 : 1);
  expect(violation).toMatchObject({ section: `RFC 9000 ${section}`, code: error });
});

test('DATAGRAM longer than the packet', () => {
  expect(read(hex('3105abcd')).violation).toMatchObject({ section: 'RFC 9221 4' });
});

test.each([
  ['NEW_TOKEN', '0701ab', '19.7'],
  ['HANDSHAKE_DONE', '1e', '19.20'],
])('%s from a client', (name, bytes, section) => {
  const { violation, type } = read(hex(bytes), '1-rtt', 'client');
  expect(violation).toEqual({
    section: `RFC 9000 ${section}`,
    reason: `${name} from a client`,
    code: 'PROTOCOL_VIOLATION',
  });
  expect(type).toBe(Number.parseInt(bytes.slice(0, 2), 16));
});

test('offsets at the limit, and those above 2^53, are read', () => {
  expect(read(hex('0c04fffffffffffffffe01')).violation).toBeUndefined();
  expect(read(hex('0c04e000000000000000ab')).frames).toMatchObject([{ offset: 2 ** 53 - 1 }]);
});

test('the overhead of STREAM and CRYPTO frames', () => {
  for (let run = 0; run < 200; run++) {
    const stream = Math.floor(2 ** (Math.random() * 32));
    const offset = run % 5 === 0 ? 0 : Math.floor(2 ** (Math.random() * 50));
    const data = Buffer.alloc(Math.floor(Math.random() * 1200));
    const frame = { kind: 'stream', stream, offset, data, isLast: false } as const;
    const { length } = data;
    expect(written(frame)).toHaveLength(streamOverhead(stream, offset, length) + length);
    const crypto = { kind: 'crypto', offset, data } as const;
    expect(written(crypto)).toHaveLength(cryptoOverhead(offset, length) + length);
  }
});

test('what is read of random bytes is read again when it is written', () => {
  let count = 0;
  for (let run = 0; run < 5000; run++) {
    const payload = randomBytes(1 + (run % 200));
    for (let at = 0; at < payload.length; at += 1 + (payload.readUInt8(at) & 7)) {
      payload.writeUInt8(payload.readUInt8(at) & 0x1f, at);
    }
    const packet = packets[run % 4] ?? '1-rtt';
    const { frames } = read(payload, packet);
    if (frames.length === 0) continue;
    count += frames.length;
    expect(read(written(...frames), packet)).toMatchObject({ frames, violation: undefined });
  }
  expect(count).toBeGreaterThan(1500);
});
