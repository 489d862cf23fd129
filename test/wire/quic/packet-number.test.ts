import { expect, test } from 'vitest';
import {
  decodePacketNumber,
  packetNumberLength,
  writePacketNumber,
  type PacketNumberLength,
} from '../../../src/wire/quic/packet-number.ts';

test.each<[number: number, acknowledged: number, length: PacketNumberLength]>([
  // RFC 9000 A.2
  [0xac5c02, 0xabe8b3, 2],
  [0xace8fe, 0xabe8b3, 3],
  [0, -1, 1],
  [126, -1, 1],
  [127, -1, 2],
  [1127, 1000, 1],
  [1128, 1000, 2],
  [2 ** 15 - 1, 0, 2],
  [2 ** 15, 0, 3],
  [2 ** 23, 0, 4],
])('%d after %d takes %d bytes', (number, acknowledged, length) => {
  expect(packetNumberLength(number, acknowledged)).toBe(length);
});

test.each<[truncated: number, length: PacketNumberLength, largest: number, number: number]>([
  // RFC 9000 A.3
  [0x9b32, 2, 0xa82f30ea, 0xa82f9b32],
  [0, 1, -1, 0],
  [255, 1, -1, 255],
  [0, 1, 255, 256],
  [255, 1, 256, 255],
  [128, 1, 255, 384],
  [129, 1, 255, 129],
  [127, 1, 300, 383],
  [0, 1, 383, 512],
  [1, 1, 383, 257],
  [0xffffffff, 4, 2 ** 40, 2 ** 40 - 1],
  [5, 1, Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER - 250],
])('0x%x of %d bytes after %d is %d', (truncated, length, largest, number) => {
  expect(decodePacketNumber(truncated, length, largest)).toBe(number);
});

test('what is written is decoded, whatever has been received of what is not acknowledged', () => {
  const bytes = Buffer.alloc(4);
  for (let run = 0; run < 20_000; run++) {
    const acknowledged = Math.floor(Math.random() * 2 ** (Math.random() * 40)) - 1;
    const number = acknowledged + 1 + Math.floor(Math.random() * 2 ** (Math.random() * 30));
    const largest = acknowledged + Math.floor(Math.random() * (number - acknowledged + 1));
    const length = packetNumberLength(number, acknowledged);
    expect(writePacketNumber(bytes, 0, number, length)).toBe(length);
    expect(decodePacketNumber(bytes.readUIntBE(0, length), length, largest)).toBe(number);
  }
});
