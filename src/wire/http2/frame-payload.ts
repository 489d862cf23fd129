import { ByteReader } from '../byte-reader.ts';
import { Flag, FrameType, HIGH_BIT, type FrameHeader, type RawFrame } from './frame.ts';
import type { HeaderBlock } from './header-block.ts';

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

/** A field block that ended with a frame. */
export interface EndedBlock {
  readonly block: HeaderBlock;
  /** The HEADERS or PUSH_PROMISE that began it; with CONTINUATION, another frame. */
  readonly opener: FrameHeader;
  /** CONTINUATION frames of the block. */
  readonly continuations: number;
}

/** The payload of a frame, by its type. */
export type FramePayload =
  | { readonly kind: 'data'; /** Without padding. */ readonly content: number }
  | {
      readonly kind: 'headers';
      readonly priority: Priority | undefined;
      /** Bytes of the field block fragment. */
      readonly fragment: number;
      ended?: EndedBlock;
    }
  | {
      readonly kind: 'push-promise';
      readonly promised: number;
      readonly fragment: number;
      ended?: EndedBlock;
    }
  | { readonly kind: 'continuation'; readonly fragment: number; ended?: EndedBlock }
  | { readonly kind: 'priority'; readonly priority: Priority }
  | { readonly kind: 'rst-stream'; readonly code: number }
  | { readonly kind: 'settings'; readonly ack: boolean; readonly settings: readonly Setting[] }
  | { readonly kind: 'ping'; readonly ack: boolean; /** Hexadecimal. */ readonly data: string }
  | {
      readonly kind: 'goaway';
      readonly lastStream: number;
      readonly code: number;
      /** One character per byte, up to the limit. */
      readonly debugData: string;
    }
  | { readonly kind: 'window-update'; readonly increment: number }
  | { readonly kind: 'priority-update'; readonly stream: number; readonly value: string }
  /** Of another type, or not as its type requires: one character per byte, up to the limit. */
  | { readonly kind: 'bytes'; readonly bytes: string };

/** The payload that a frame has, and where its content is. */
export interface ParsedPayload {
  readonly payload: FramePayload;
  /** Pad Length; undefined if the frame is not padded. */
  readonly padding: number | undefined;
  /** Bytes after the parsed ones that are DATA or a field block fragment. */
  readonly content: number;
}

/** Bytes before the field block of HEADERS with a priority, and before that of PUSH_PROMISE. */
const PRIORITY_LENGTH = 5;
const PROMISED_LENGTH = 4;
const SETTING_LENGTH = 6;

/** Bytes at the start of the payload that `parsePayload` needs. */
export function parsedLength(header: FrameHeader, maxKept: number): number {
  const { type, length } = header;
  switch (type) {
    case FrameType.data:
    case FrameType.headers:
    case FrameType.pushPromise:
      return Math.min(length, prefixLength(header));
    case FrameType.continuation:
      return 0;
    default:
      return Math.min(length, maxKept);
  }
}

/**
 * Parses a payload. Never throws: a payload that is too short, or that has too much padding, gives
 * `bytes`; `frameViolations` has the reason.
 *
 * @param head the first `parsedLength` bytes
 */
export function parsePayload(header: FrameHeader, head: Buffer): ParsedPayload {
  const { type, length } = header;
  switch (type) {
    case FrameType.data:
    case FrameType.headers:
    case FrameType.pushPromise:
      return parsePadded(header, head);
    case FrameType.continuation:
      return {
        payload: { kind: 'continuation', fragment: length },
        padding: undefined,
        content: length,
      };
    default:
      return { payload: parseControl(header, head), padding: undefined, content: 0 };
  }
}

function parsePadded(header: FrameHeader, head: Buffer): ParsedPayload {
  const { type, flags, length } = header;
  const padding = (flags & Flag.padded) === 0 ? undefined : (head[0] ?? 0);
  const needed = prefixLength(header);
  const content = length - needed - (padding ?? 0);
  if (length < needed || content < 0) {
    return { payload: { kind: 'bytes', bytes: head.toString('latin1') }, padding, content: 0 };
  }
  if (type === FrameType.data) return { payload: { kind: 'data', content }, padding, content };
  if (type === FrameType.pushPromise) {
    const promised = head.readUInt32BE(needed - PROMISED_LENGTH) % HIGH_BIT;
    return { payload: { kind: 'push-promise', promised, fragment: content }, padding, content };
  }
  const priority = parsePriority({ type, flags, payload: head });
  return { payload: { kind: 'headers', priority, fragment: content }, padding, content };
}

/** Bytes before DATA or a field block: Pad Length, priority or promised stream (RFC 9113 6.1, 6.2, 6.6). */
export function prefixLength({ type, flags }: FrameHeader): number {
  const padLength = (flags & Flag.padded) === 0 ? 0 : 1;
  if (type === FrameType.pushPromise) return padLength + PROMISED_LENGTH;
  const hasPriority = type === FrameType.headers && (flags & Flag.priority) !== 0;
  return hasPriority ? padLength + PRIORITY_LENGTH : padLength;
}

function parseControl({ type, flags, length }: FrameHeader, head: Buffer): FramePayload {
  const ack = (flags & Flag.ack) !== 0;
  const frame = { type, flags, payload: head };
  switch (isControlLength(type, ack, length) ? type : undefined) {
    case FrameType.priority: {
      const priority = parsePriority(frame);
      if (priority) return { kind: 'priority', priority };
      break;
    }
    case FrameType.rstStream:
      return { kind: 'rst-stream', code: head.readUInt32BE(0) };
    case FrameType.settings:
      return { kind: 'settings', ack, settings: parseSettings(frame) };
    case FrameType.ping:
      return { kind: 'ping', ack, data: head.toString('hex') };
    case FrameType.goaway:
      return {
        kind: 'goaway',
        lastStream: head.readUInt32BE(0) % HIGH_BIT,
        code: head.readUInt32BE(4),
        debugData: head.toString('latin1', 8),
      };
    case FrameType.windowUpdate:
      return { kind: 'window-update', increment: parseWindowIncrement(frame) };
    case FrameType.priorityUpdate:
      return { kind: 'priority-update', ...parsePriorityUpdate(frame) };
    default:
  }
  return { kind: 'bytes', bytes: head.toString('latin1') };
}

/** Whether the payload has a length that its type allows (RFC 9113 6; RFC 9218 7.1). */
export function isControlLength(type: number, ack: boolean, length: number): boolean {
  switch (type) {
    case FrameType.priority:
      return length === PRIORITY_LENGTH;
    case FrameType.rstStream:
    case FrameType.windowUpdate:
      return length === 4;
    case FrameType.settings:
      return ack ? length === 0 : length % SETTING_LENGTH === 0;
    case FrameType.ping:
      return length === 8;
    case FrameType.goaway:
      return length >= 8;
    case FrameType.priorityUpdate:
      return length >= 4;
    default:
      return true;
  }
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

/** The payload without padding and priority (RFC 9113 6.1, 6.2). */
export function fragment({ type, flags, payload }: RawFrame): Buffer {
  const isPadded = (flags & Flag.padded) !== 0;
  const start = isPadded ? 1 : 0;
  const priority = type === FrameType.headers && (flags & Flag.priority) !== 0 ? 5 : 0;
  const padding = isPadded ? (payload[0] ?? 0) : 0;
  return payload.subarray(start + priority, Math.max(0, payload.length - padding));
}

/** The payload of SETTINGS (RFC 9113 6.5.1). */
export function settingsPayload(
  settings: readonly (readonly [id: number, value: number])[],
): Buffer {
  const bytes = Buffer.alloc(6 * settings.length);
  settings.forEach(([id, value], at) => {
    bytes.writeUInt16BE(id, 6 * at);
    bytes.writeUInt32BE(value, 6 * at + 2);
  });
  return bytes;
}
