import { varintLength, writeVarint } from '../byte-writer.ts';
import type { QuicVersion } from './names.ts';
import { FirstByte, LONG_PACKET_TYPES, type LongKind } from './packet.ts';
import { writePacketNumber, type PacketNumberLength } from './packet-number.ts';

/** A growing buffer into which the packets of a datagram are written one after the other. */
export class PacketWriter {
  #bytes: Buffer;
  #length = 0;

  /** @param size bytes of the first buffer */
  constructor(size: number) {
    this.#bytes = Buffer.allocUnsafeSlow(size);
  }

  /** Bytes written. */
  get length(): number {
    return this.#length;
  }

  /** The buffer, of which `length` bytes are written. Replaced by a larger one when it grows. */
  get buffer(): Buffer {
    return this.#bytes;
  }

  /** A view of the bytes written. Bytes that are written after `truncate` overwrite it. */
  get written(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Removes the bytes after an offset. @param length at most the present length */
  truncate(length: number): void {
    this.#length = length;
  }

  uint8(value: number): void {
    const at = this.reserve(1);
    this.#bytes.writeUInt8(value, at);
  }

  uint32(value: number): void {
    const at = this.reserve(4);
    this.#bytes.writeUInt32BE(value, at);
  }

  varint(value: number | bigint): void {
    const at = this.reserve(varintLength(value));
    writeVarint(this.#bytes, at, value);
  }

  append(bytes: Uint8Array): void {
    const at = this.reserve(bytes.length);
    this.#bytes.set(bytes, at);
  }

  /** Appends bytes after their length. */
  appendWithLength(bytes: Uint8Array): void {
    this.varint(bytes.length);
    this.append(bytes);
  }

  zeros(count: number): void {
    const at = this.reserve(count);
    this.#bytes.fill(0, at, at + count);
  }

  /** Makes room for bytes that the caller writes. @returns their offset */
  reserve(count: number): number {
    const start = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.#length, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, start);
      this.#bytes = larger;
    }
    return start;
  }
}

export interface LongHeaderFields {
  readonly kind: LongKind;
  readonly version: QuicVersion;
  readonly destinationId: Uint8Array;
  readonly sourceId: Uint8Array;
  /** Only of Initial packets of a client (RFC 9000 17.2.2). */
  readonly token?: Uint8Array;
}

const NO_TOKEN: Buffer = Buffer.alloc(0);

/**
 * Writes a long header (RFC 9000 17.2) without protection. The payload follows. `PacketProtection.seal` writes the Length, in
 * two bytes: the packet number and payload must be below 16 KiB.
 *
 * @param number the packet number
 */
export function writeLongHeader(
  writer: PacketWriter,
  { kind, version, destinationId, sourceId, token = NO_TOKEN }: LongHeaderFields,
  number: number,
  numberLength: PacketNumberLength,
): void {
  const type = LONG_PACKET_TYPES[version].indexOf(kind) << 4;
  writer.uint8(FirstByte.longHeader | FirstByte.fixed | type | (numberLength - 1));
  writer.uint32(version);
  writer.uint8(destinationId.length);
  writer.append(destinationId);
  writer.uint8(sourceId.length);
  writer.append(sourceId);
  if (kind === 'initial') writer.appendWithLength(token);
  const at = writer.reserve(2 + numberLength);
  writePacketNumber(writer.buffer, at + 2, number, numberLength);
}

/** Writes a short header (RFC 9000 17.3.1) without protection. The spin bit is not used: it is 0 (RFC 9000 17.4). */
export function writeShortHeader(
  writer: PacketWriter,
  destinationId: Uint8Array,
  keyPhase: 0 | 1,
  number: number,
  numberLength: PacketNumberLength,
): void {
  const phase = keyPhase === 0 ? 0 : FirstByte.keyPhase;
  writer.uint8(FirstByte.fixed | phase | (numberLength - 1));
  writer.append(destinationId);
  const at = writer.reserve(numberLength);
  writePacketNumber(writer.buffer, at, number, numberLength);
}
