import { UnitSplitter, type UnitFraming } from '../unit-reader.ts';

/** Frame types (RFC 9113 6; RFC 9218 7.1). */
export const FrameType = {
  data: 0x0,
  headers: 0x1,
  priority: 0x2,
  rstStream: 0x3,
  settings: 0x4,
  pushPromise: 0x5,
  ping: 0x6,
  goaway: 0x7,
  windowUpdate: 0x8,
  continuation: 0x9,
  priorityUpdate: 0x10,
} as const;

export const Flag = {
  endStream: 0x1,
  ack: 0x1,
  endHeaders: 0x4,
  padded: 0x8,
  priority: 0x20,
} as const;

/** Identifiers of settings (RFC 9113 6.5.2; RFC 8441 3; RFC 9218 2.1). */
export const SettingId = {
  headerTableSize: 0x1,
  enablePush: 0x2,
  maxConcurrentStreams: 0x3,
  initialWindowSize: 0x4,
  maxFrameSize: 0x5,
  maxHeaderListSize: 0x6,
  enableConnectProtocol: 0x8,
  noRfc7540Priorities: 0x9,
} as const;

/** The client connection preface (RFC 9113 3.4). */
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

/** Both flow-control windows until SETTINGS and WINDOW_UPDATE change them (RFC 9113 6.9.2). */
export const DEFAULT_WINDOW = 65_535;
/** SETTINGS_MAX_FRAME_SIZE until it is changed, and its minimum (RFC 9113 6.5.2). */
export const DEFAULT_MAX_FRAME_SIZE = 16_384;

/** Bytes of a frame header, and the offset of the type in it (RFC 9113 4.1). */
export const FRAME_HEADER_LENGTH = 9;
export const TYPE_OFFSET = 3;
export const FLAGS_OFFSET = 4;
export const STREAM_OFFSET = 5;
/** Reserved bit of stream ids and window increments; exclusive flag of dependencies. */
export const HIGH_BIT = 2 ** 31;
/** Highest stream id (RFC 9113 5.1.1). */
export const MAX_STREAM = HIGH_BIT - 1;
/** Maximum size of a flow-control window, and of its increment (RFC 9113 6.9, 6.9.1). */
export const MAX_WINDOW = HIGH_BIT - 1;

export const FRAMES: UnitFraming = {
  headerLength: FRAME_HEADER_LENGTH,
  // Not by readUIntBE, which takes ten times as long.
  lengthOf: (bytes, at) =>
    ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0),
};

/** The side of a connection that sends or receives. */
export type Role = 'client' | 'server';

/** A frame header (RFC 9113 4.1). */
export interface FrameHeader {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  /** Bytes of the payload. */
  readonly length: number;
}

/** A frame as sent or received, valid or not. */
export interface RawFrame extends Omit<FrameHeader, 'length'> {
  readonly payload: Buffer;
}

const EMPTY = Buffer.alloc(0);

/** Serializes a frame (RFC 9113 4.1). */
export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array = EMPTY,
): Buffer {
  const bytes = Buffer.alloc(FRAME_HEADER_LENGTH + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes.writeUInt8(type, TYPE_OFFSET);
  bytes.writeUInt8(flags, FLAGS_OFFSET);
  bytes.writeUInt32BE(stream, STREAM_OFFSET);
  bytes.set(payload, FRAME_HEADER_LENGTH);
  return bytes;
}

/** Reads a frame header. The reserved bit of the stream identifier is ignored. */
export function readFrameHeader(bytes: Buffer, at: number): FrameHeader {
  return {
    type: bytes.readUInt8(at + TYPE_OFFSET),
    flags: bytes.readUInt8(at + FLAGS_OFFSET),
    stream: bytes.readUInt32BE(at + STREAM_OFFSET) & 0x7fffffff,
    length: FRAMES.lengthOf(bytes, at),
  };
}

/** Splits pieces of any size into complete frames. */
export class FrameSplitter extends UnitSplitter<RawFrame> {
  constructor() {
    super(FRAMES, (header, payload) => {
      const { type, flags, stream } = readFrameHeader(header, 0);
      return { type, flags, stream, payload };
    });
  }
}

/** 32-bit integers, for RST_STREAM, GOAWAY and WINDOW_UPDATE. */
export function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, at) => bytes.writeUInt32BE(value, 4 * at));
  return bytes;
}

/** A GOAWAY frame (RFC 9113 6.8). */
export function goaway(lastStream: number, code: number, debugData: Uint8Array = EMPTY): Buffer {
  return frame(FrameType.goaway, 0, 0, Buffer.concat([uint32(lastStream, code), debugData]));
}
