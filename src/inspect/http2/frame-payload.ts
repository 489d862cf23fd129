import type { Priority, Setting } from '../../net/client-preface.ts';
import type { HeaderBlock } from './hpack.ts';

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

/** A frame header (RFC 9113 4.1). */
export interface FrameHeader {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  /** Bytes of the payload. */
  readonly length: number;
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
const HIGH_BIT = 2 ** 31;

/** Bytes at the start of the payload that `parsePayload` needs. */
export function parsedLength({ type, flags, length }: FrameHeader, maxKept: number): number {
  const padLength = (flags & Flag.padded) === 0 ? 0 : 1;
  switch (type) {
    case FrameType.data:
      return Math.min(length, padLength);
    case FrameType.headers:
      return Math.min(length, padLength + ((flags & Flag.priority) === 0 ? 0 : PRIORITY_LENGTH));
    case FrameType.pushPromise:
      return Math.min(length, padLength + PROMISED_LENGTH);
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
  const { type, flags, length } = header;
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
      return { payload: parseControl(type, flags, length, head), padding: undefined, content: 0 };
  }
}

function parsePadded({ type, flags, length }: FrameHeader, head: Buffer): ParsedPayload {
  const isPadded = (flags & Flag.padded) !== 0;
  const padding = isPadded ? (head[0] ?? 0) : undefined;
  const start = isPadded ? 1 : 0;
  const needed = start + prefixLength(type, flags);
  const content = length - needed - (padding ?? 0);
  if (length < needed || content < 0) {
    return { payload: { kind: 'bytes', bytes: head.toString('latin1') }, padding, content: 0 };
  }
  if (type === FrameType.data) return { payload: { kind: 'data', content }, padding, content };
  if (type === FrameType.pushPromise) {
    const promised = head.readUInt32BE(start) % HIGH_BIT;
    return { payload: { kind: 'push-promise', promised, fragment: content }, padding, content };
  }
  const priority = (flags & Flag.priority) === 0 ? undefined : parsePriority(head, start);
  return { payload: { kind: 'headers', priority, fragment: content }, padding, content };
}

function prefixLength(type: number, flags: number): number {
  if (type === FrameType.pushPromise) return PROMISED_LENGTH;
  return type === FrameType.headers && (flags & Flag.priority) !== 0 ? PRIORITY_LENGTH : 0;
}

function parseControl(type: number, flags: number, length: number, head: Buffer): FramePayload {
  const ack = (flags & Flag.ack) !== 0;
  if (!isControlLength(type, ack, length)) return { kind: 'bytes', bytes: head.toString('latin1') };
  switch (type) {
    case FrameType.priority:
      return { kind: 'priority', priority: parsePriority(head, 0) };
    case FrameType.rstStream:
      return { kind: 'rst-stream', code: head.readUInt32BE(0) };
    case FrameType.settings:
      return { kind: 'settings', ack, settings: parseSettings(head) };
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
      return { kind: 'window-update', increment: head.readUInt32BE(0) % HIGH_BIT };
    case FrameType.priorityUpdate:
      return {
        kind: 'priority-update',
        stream: head.readUInt32BE(0) % HIGH_BIT,
        value: head.toString('latin1', 4),
      };
    default:
      return { kind: 'bytes', bytes: head.toString('latin1') };
  }
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

function parsePriority(bytes: Buffer, at: number): Priority {
  const dependency = bytes.readUInt32BE(at);
  return {
    exclusive: dependency >= HIGH_BIT,
    dependsOn: dependency % HIGH_BIT,
    weight: (bytes[at + 4] ?? 0) + 1,
  };
}

function parseSettings(bytes: Buffer): Setting[] {
  const settings: Setting[] = [];
  for (let at = 0; at + SETTING_LENGTH <= bytes.length; at += SETTING_LENGTH) {
    settings.push({ id: bytes.readUInt16BE(at), value: bytes.readUInt32BE(at + 2) });
  }
  return settings;
}
