import { varintLength } from '../byte-writer.ts';
import { StreamFlag, type AckRange, type EcnCounts, type Frame, type FrameOf } from './frames.ts';
import { FrameType } from './names.ts';
import type { PacketWriter } from './packet-writer.ts';

/** Writes a frame. STREAM and DATAGRAM frames get a length, so that other frames may follow. */
export function writeFrame(writer: PacketWriter, frame: Frame): void {
  switch (frame.kind) {
    case 'padding':
      return writer.zeros(frame.length);
    case 'ping':
      return writer.uint8(FrameType.ping);
    case 'ack':
      return writeAck(writer, frame.delay, frame.ranges, frame.ecn);
    case 'crypto':
      writeVarints(writer, FrameType.crypto, frame.offset);
      return writer.appendWithLength(frame.data);
    case 'new-token':
      writer.uint8(FrameType.newToken);
      return writer.appendWithLength(frame.token);
    case 'stream':
      return writeStream(writer, frame);
    case 'new-connection-id':
      writeVarints(writer, FrameType.newConnectionId, frame.sequence, frame.retirePriorTo);
      writer.uint8(frame.connectionId.length);
      writer.append(frame.connectionId);
      return writer.append(frame.resetToken);
    case 'retire-connection-id':
      return writeVarints(writer, FrameType.retireConnectionId, frame.sequence);
    case 'path-challenge':
      writer.uint8(FrameType.pathChallenge);
      return writer.append(frame.data);
    case 'path-response':
      writer.uint8(FrameType.pathResponse);
      return writer.append(frame.data);
    case 'connection-close':
      writeVarints(writer, FrameType.connectionClose, frame.code, frame.frameType);
      return writer.appendWithLength(frame.reason);
    case 'application-close':
      writeVarints(writer, FrameType.applicationClose, frame.code);
      return writer.appendWithLength(frame.reason);
    case 'handshake-done':
      return writer.uint8(FrameType.handshakeDone);
    case 'datagram':
      writer.uint8(FrameType.datagramWithLength);
      return writer.appendWithLength(frame.data);
    default:
      return writeStreamControl(writer, frame);
  }
}

/** Writes a frame about streams that carries no data. */
function writeStreamControl(
  writer: PacketWriter,
  frame: FrameOf<
    | 'reset-stream'
    | 'stop-sending'
    | 'max-data'
    | 'max-stream-data'
    | 'max-streams'
    | 'data-blocked'
    | 'stream-data-blocked'
    | 'streams-blocked'
  >,
): void {
  switch (frame.kind) {
    case 'reset-stream':
      return writeVarints(writer, FrameType.resetStream, frame.stream, frame.code, frame.finalSize);
    case 'stop-sending':
      return writeVarints(writer, FrameType.stopSending, frame.stream, frame.code);
    case 'max-data':
      return writeVarints(writer, FrameType.maxData, frame.maximum);
    case 'max-stream-data':
      return writeVarints(writer, FrameType.maxStreamData, frame.stream, frame.maximum);
    case 'max-streams': {
      const isBidi = frame.direction === 'bidi';
      const type = isBidi ? FrameType.maxStreamsBidi : FrameType.maxStreamsUni;
      return writeVarints(writer, type, frame.maximum);
    }
    case 'data-blocked':
      return writeVarints(writer, FrameType.dataBlocked, frame.maximum);
    case 'stream-data-blocked':
      return writeVarints(writer, FrameType.streamDataBlocked, frame.stream, frame.maximum);
    case 'streams-blocked': {
      const isBidi = frame.direction === 'bidi';
      const type = isBidi ? FrameType.streamsBlockedBidi : FrameType.streamsBlockedUni;
      return writeVarints(writer, type, frame.maximum);
    }
  }
}

function writeAck(
  writer: PacketWriter,
  delay: number,
  ranges: readonly AckRange[],
  ecn: EcnCounts | undefined,
): void {
  writer.uint8(ecn ? FrameType.ackEcn : FrameType.ack);
  let smallest: number | undefined;
  for (const range of ranges) {
    if (smallest === undefined) {
      writer.varint(range.largest);
      writer.varint(delay);
      writer.varint(ranges.length - 1);
    } else writer.varint(smallest - range.largest - 2);
    writer.varint(range.largest - range.smallest);
    ({ smallest } = range);
  }
  if (ecn) writeVarints(writer, ecn.ect0, ecn.ect1, ecn.ce);
}

function writeStream(writer: PacketWriter, frame: FrameOf<'stream'>): void {
  const { stream, offset, data, isLast } = frame;
  const fin = isLast ? StreamFlag.fin : 0;
  const off = offset === 0 ? 0 : StreamFlag.offset;
  writer.uint8(FrameType.stream | StreamFlag.length | fin | off);
  writer.varint(stream);
  if (offset > 0) writer.varint(offset);
  writer.appendWithLength(data);
}

/** Bytes of a STREAM frame before its data. @param length maximum bytes of the data */
export function streamOverhead(stream: number, offset: number, length: number): number {
  const offsetLength = offset === 0 ? 0 : varintLength(offset);
  return 1 + varintLength(stream) + offsetLength + varintLength(length);
}

/** Bytes of a CRYPTO frame before its data. @param length maximum bytes of the data */
export function cryptoOverhead(offset: number, length: number): number {
  return 1 + varintLength(offset) + varintLength(length);
}

function writeVarints(writer: PacketWriter, ...values: readonly (number | bigint)[]): void {
  for (const value of values) writer.varint(value);
}
