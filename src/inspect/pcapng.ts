/** Block types of pcapng (draft-ietf-opsawg-pcapng 4). */
const BlockType = {
  interfaceDescription: 1,
  interfaceStatistics: 5,
  enhancedPacket: 6,
  decryptionSecrets: 10,
  sectionHeader: 0x0a0d0d0a,
} as const;

/** Link type: packets begin with an IPv4 or IPv6 header. */
const LINKTYPE_RAW = 101;
/** `if_tsresol`: times are in microseconds, in all blocks below. */
const MICROSECONDS = 6;
const TLS_KEY_LOG = 0x544c534b;

/** Option codes that are the same in several blocks. */
const COMMENT = 1;

type Option = readonly [code: number, value: Buffer];

/** Section Header Block, the first of a file. @param application program that wrote it */
export function sectionHeader(application: string): Buffer {
  const fixed = Buffer.alloc(16);
  fixed.writeUInt32LE(0x1a2b3c4d, 0);
  fixed.writeUInt16LE(1, 4);
  // Section length: unknown.
  fixed.writeBigInt64LE(-1n, 8);
  return pcapngBlock(BlockType.sectionHeader, fixed, [[4, Buffer.from(application)]]);
}

/** Interface Description Block. It must follow the Section Header Block. */
export function interfaceDescription(name: string): Buffer {
  const fixed = Buffer.alloc(8);
  fixed.writeUInt16LE(LINKTYPE_RAW, 0);
  return pcapngBlock(BlockType.interfaceDescription, fixed, [
    [2, Buffer.from(name)],
    [9, Buffer.of(MICROSECONDS)],
  ]);
}

/** Decryption Secrets Block with TLS secrets. It must precede the packets. @param lines as in a key log (RFC 9850) */
export function decryptionSecrets(lines: Buffer): Buffer {
  const fixed = Buffer.alloc(8);
  fixed.writeUInt32LE(TLS_KEY_LOG, 0);
  fixed.writeUInt32LE(lines.length, 4);
  return pcapngBlock(BlockType.decryptionSecrets, fixed, [], [lines]);
}

/** Direction of a packet, as the interface sees it. */
export type PacketDirection = 'inbound' | 'outbound';

/** Enhanced Packet Block. @param time in milliseconds since 1970 @param packet its parts, from the IP header on */
export function enhancedPacket(
  time: number,
  packet: readonly Buffer[],
  direction: PacketDirection,
  comment?: string,
): Buffer {
  const length = sizeOf(packet);
  const fixed = Buffer.alloc(20);
  writeTime(fixed, 4, time);
  fixed.writeUInt32LE(length, 12);
  fixed.writeUInt32LE(length, 16);
  const flags = Buffer.alloc(4);
  flags.writeUInt32LE(direction === 'inbound' ? 1 : 2);
  const options: Option[] = [[2, flags]];
  if (comment !== undefined) options.unshift([COMMENT, Buffer.from(comment)]);
  return pcapngBlock(BlockType.enhancedPacket, fixed, options, packet);
}

/** Interface Statistics Block, for the end of a file. Times are in milliseconds since 1970. */
export function interfaceStatistics(statistics: {
  readonly start: number;
  readonly end: number;
  readonly received: number;
  /** Number of packets that are missing in the file. */
  readonly dropped: number;
}): Buffer {
  const fixed = Buffer.alloc(12);
  writeTime(fixed, 4, statistics.end);
  return pcapngBlock(BlockType.interfaceStatistics, fixed, [
    [2, timeOption(statistics.start)],
    [3, timeOption(statistics.end)],
    [4, countOption(statistics.received)],
    [5, countOption(statistics.dropped)],
  ]);
}

function timeOption(milliseconds: number): Buffer {
  const bytes = Buffer.alloc(8);
  writeTime(bytes, 0, milliseconds);
  return bytes;
}

function countOption(count: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(count));
  return bytes;
}

/** Writes a time as microseconds since 1970: high and low 32 bits. */
function writeTime(bytes: Buffer, at: number, milliseconds: number): void {
  const time = Math.round(milliseconds * 1000);
  bytes.writeUInt32LE(Math.floor(time / 2 ** 32), at);
  bytes.writeUInt32LE(time % 2 ** 32, at + 4);
}

/** A block: type, length, fixed fields, data, options, length. Everything between the lengths is padded to 32 bits. */
function pcapngBlock(
  type: number,
  fixed: Buffer,
  options: readonly Option[],
  data: readonly Buffer[] = [],
): Buffer {
  const parts = [fixed, ...data, padding(sizeOf(data)), ...optionParts(options)];
  const length = 12 + sizeOf(parts);
  const head = Buffer.alloc(8);
  head.writeUInt32LE(type, 0);
  head.writeUInt32LE(length, 4);
  return Buffer.concat([head, ...parts, head.subarray(4)], length);
}

function optionParts(options: readonly Option[]): Buffer[] {
  if (options.length === 0) return [];
  const parts = options.flatMap(([code, value]) => {
    const head = Buffer.alloc(4);
    head.writeUInt16LE(code, 0);
    head.writeUInt16LE(value.length, 2);
    return [head, value, padding(value.length)];
  });
  return [...parts, Buffer.alloc(4)];
}

function sizeOf(parts: readonly Buffer[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

function padding(length: number): Buffer {
  return Buffer.alloc(-length & 3);
}
