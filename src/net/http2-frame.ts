import { ByteReader } from '../wire/byte-reader.ts';

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

/** Identifiers of settings (RFC 9113 6.5.2; RFC 8441 3). */
export const SettingId = {
  headerTableSize: 0x1,
  enablePush: 0x2,
  maxConcurrentStreams: 0x3,
  initialWindowSize: 0x4,
  maxFrameSize: 0x5,
  maxHeaderListSize: 0x6,
  enableConnectProtocol: 0x8,
} as const;

/** Both flow-control windows until SETTINGS and WINDOW_UPDATE change them (RFC 9113 6.9.2). */
export const DEFAULT_WINDOW = 65_535;
/** SETTINGS_MAX_FRAME_SIZE until it is changed, and its minimum (RFC 9113 6.5.2). */
export const DEFAULT_MAX_FRAME_SIZE = 16_384;

/** Bytes of a frame header, and the offset of the type in it (RFC 9113 4.1). */
export const FRAME_HEADER_LENGTH = 9;
export const TYPE_OFFSET = 3;
/** Reserved in stream identifiers and window increments; the exclusive flag in dependencies. */
export const HIGH_BIT = 2 ** 31;

/** A frame header (RFC 9113 4.1). */
export interface FrameHeader {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  /** Bytes of the payload. */
  readonly length: number;
}

export interface Setting {
  readonly id: number;
  readonly value: number;
}

/** A priority as defined by RFC 7540 5.3. */
export interface Priority {
  readonly exclusive: boolean;
  readonly dependsOn: number;
  /** 1 to 256. */
  readonly weight: number;
}

interface Payload {
  readonly payload: Uint8Array;
}

/** The parameters of SETTINGS in order, including repeated and unknown ones (RFC 9113 6.5.1). */
export function parseSettings({ payload }: Payload): Setting[] {
  const reader = new ByteReader(payload);
  const settings: Setting[] = [];
  while (!reader.atEnd) {
    const setting = { id: reader.uint(2), value: reader.uint(4) };
    if (!reader.failed) settings.push(setting);
  }
  return settings;
}

/** The increment of WINDOW_UPDATE (RFC 9113 6.9). */
export function parseWindowIncrement({ payload }: Payload): number {
  return new ByteReader(payload).uint(4) % HIGH_BIT;
}

/** The priority in PRIORITY or HEADERS; undefined if HEADERS has none. */
export function parsePriority({
  type,
  flags,
  payload,
}: Pick<FrameHeader, 'type' | 'flags'> & Payload): Priority | undefined {
  const isHeaders = type === FrameType.headers;
  if (isHeaders && (flags & Flag.priority) === 0) return undefined;
  const reader = new ByteReader(payload);
  if (isHeaders && (flags & Flag.padded) !== 0) reader.uint(1);
  const dependency = reader.uint(4);
  const weight = reader.uint(1) + 1;
  if (reader.failed) return undefined;
  return { exclusive: dependency >= HIGH_BIT, dependsOn: dependency % HIGH_BIT, weight };
}

/** The Prioritized Stream ID and Priority Field Value of PRIORITY_UPDATE (RFC 9218 7.1). */
export function parsePriorityUpdate({ payload }: Payload): { stream: number; value: string } {
  const stream = new ByteReader(payload).uint(4) % HIGH_BIT;
  return { stream, value: Buffer.from(payload.subarray(4)).toString('latin1') };
}
