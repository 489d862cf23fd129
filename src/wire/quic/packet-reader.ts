import { ByteReader } from '../byte-reader.ts';
import { isQuicVersion, type QuicVersion } from './names.ts';
import {
  FirstByte,
  LONG_PACKET_TYPES,
  MAX_CONNECTION_ID,
  SAMPLE_LENGTH,
  SAMPLE_OFFSET,
  TAG_LENGTH,
  type InvalidPacket,
  type InvalidPacketReason,
  type LongKind,
  type Packet,
} from './packet.ts';

const NO_TOKEN: Buffer = Buffer.alloc(0);

/**
 * Reads the headers of all packets in a datagram (RFC 9000 12.2). A packet whose end is unknown is the last one.
 *
 * @param idLength bytes of a connection ID in short headers
 */
export function* readPackets(datagram: Buffer, idLength: number): Generator<Packet, void> {
  let destinationId: Buffer | undefined;
  for (let start = 0; start < datagram.length;) {
    const packet = readPacket(datagram, start, idLength);
    if (packet.kind === 'invalid') yield packet;
    else if (destinationId && !packet.destinationId.equals(destinationId)) {
      yield invalid('other-connection-id', start, packet.end);
    } else {
      destinationId ??= packet.destinationId;
      yield packet;
    }
    start = packet.end;
  }
}

/**
 * Reads the header of a packet.
 *
 * @param start offset of the packet, below the length of the datagram
 * @param idLength bytes of a connection ID in short headers
 */
export function readPacket(datagram: Buffer, start: number, idLength: number): Packet {
  const first = datagram[start] ?? 0;
  return (first & FirstByte.longHeader) === 0
    ? readShortPacket(datagram, start, idLength)
    : readLongPacket(datagram, start);
}

function readShortPacket(datagram: Buffer, start: number, idLength: number): Packet {
  const end = datagram.length;
  const numberOffset = start + 1 + idLength;
  if (((datagram[start] ?? 0) & FirstByte.fixed) === 0) return invalid('fixed-bit', start, end);
  if (!hasSample(numberOffset, end)) return invalid('too-short', start, end);
  const destinationId = datagram.subarray(start + 1, numberOffset);
  return { kind: '1-rtt', start, end, destinationId, numberOffset };
}

/** Header fields that do not depend on the version (RFC 8999 5.1). */
interface Invariants {
  readonly version: number;
  readonly destinationId: Buffer;
  readonly sourceId: Buffer;
}

function readLongPacket(datagram: Buffer, start: number): Packet {
  const end = datagram.length;
  const reader = new ByteReader(datagram, start + 1);
  const version = reader.uint(4);
  const destinationId = readView(datagram, reader, reader.uint(1));
  const sourceId = readView(datagram, reader, reader.uint(1));
  if (reader.failed) return invalid('truncated', start, end);
  const invariants = { version, destinationId, sourceId };
  if (version === 0) return readVersions(datagram, start, reader.offset, invariants);
  if (!isQuicVersion(version)) return { kind: 'unknown-version', start, end, ...invariants };
  const first = datagram[start] ?? 0;
  if ((first & FirstByte.fixed) === 0) return invalid('fixed-bit', start, end);
  if (destinationId.length > MAX_CONNECTION_ID || sourceId.length > MAX_CONNECTION_ID) {
    return invalid('connection-id-length', start, end);
  }
  const kind = LONG_PACKET_TYPES[version][(first & FirstByte.type) >> 4] ?? 'retry';
  if (kind !== 'retry') {
    return readProtected(datagram, start, reader, { ...invariants, version, kind });
  }
  const tokenEnd = end - TAG_LENGTH;
  if (tokenEnd < reader.offset) return invalid('truncated', start, end);
  if (tokenEnd === reader.offset) return invalid('token', start, end);
  const token = datagram.subarray(reader.offset, tokenEnd);
  return { kind, start, end, version, destinationId, sourceId, token };
}

/** Reads what follows the connection IDs up to the packet number (RFC 9000 17.2.2 to 17.2.4). */
function readProtected(
  datagram: Buffer,
  start: number,
  reader: ByteReader,
  fields: Invariants & { readonly version: QuicVersion; readonly kind: LongKind },
): Packet {
  const token = fields.kind === 'initial' ? readView(datagram, reader, reader.varint()) : NO_TOKEN;
  const length = reader.varint();
  const numberOffset = reader.offset;
  const end = numberOffset + length;
  if (reader.failed || end > datagram.length) return invalid('truncated', start, datagram.length);
  if (!hasSample(numberOffset, end)) return invalid('too-short', start, end);
  return { ...fields, start, end, token, numberOffset };
}

function readVersions(
  datagram: Buffer,
  start: number,
  offset: number,
  { destinationId, sourceId }: Invariants,
): Packet {
  const end = datagram.length;
  if (offset === end || (end - offset) % 4 !== 0) return invalid('versions', start, end);
  const versions: number[] = [];
  for (let at = offset; at < end; at += 4) versions.push(datagram.readUInt32BE(at));
  return { kind: 'version-negotiation', start, end, destinationId, sourceId, versions };
}

function hasSample(numberOffset: number, end: number): boolean {
  return numberOffset + SAMPLE_OFFSET + SAMPLE_LENGTH <= end;
}

function readView(datagram: Buffer, reader: ByteReader, length: number): Buffer {
  const start = reader.offset;
  reader.skip(length);
  return datagram.subarray(start, reader.offset);
}

function invalid(reason: InvalidPacketReason, start: number, end: number): InvalidPacket {
  return { kind: 'invalid', reason, start, end };
}
