import { Flag, FrameType, HIGH_BIT, type FrameHeader, type RawFrame } from './frame.ts';

export interface Setting {
  readonly id: number;
  readonly value: number;
}

/** A priority as defined by RFC 7540 5.3. */
export interface Priority {
  readonly exclusive: boolean;
  readonly dependsOn: number;
  /** Weight, 1 to 256. */
  readonly weight: number;
}

/** The payload of a frame, by its type. */
export type FramePayload =
  | { readonly kind: 'data'; /** Without padding. */ readonly content: number }
  | {
      readonly kind: 'headers';
      readonly priority: Priority | undefined;
      /** Bytes of the field block fragment. */
      readonly fragment: number;
    }
  | { readonly kind: 'push-promise'; readonly promised: number; readonly fragment: number }
  | { readonly kind: 'continuation'; readonly fragment: number }
  | { readonly kind: 'priority'; readonly priority: Priority }
  | { readonly kind: 'rst-stream'; readonly code: number }
  | { readonly kind: 'settings'; readonly ack: boolean; readonly settings: readonly Setting[] }
  | { readonly kind: 'ping'; readonly ack: boolean; /** Hexadecimal. */ readonly data: string }
  | {
      readonly kind: 'goaway';
      readonly lastStream: number;
      readonly code: number;
      /** Debug data in Latin-1, up to the limit. */
      readonly debugData: string;
    }
  | { readonly kind: 'window-update'; readonly increment: number }
  | { readonly kind: 'priority-update'; readonly stream: number; readonly value: string }
  /** Payload of another type, or malformed for its type: in Latin-1, up to the limit. */
  | { readonly kind: 'bytes'; readonly bytes: string };

/** The parsed part of a payload, and how much content follows it. */
export interface ParsedPayload {
  readonly payload: FramePayload;
  /** Pad Length; undefined if the frame is not padded. */
  readonly padding: number | undefined;
  /** Bytes of DATA or of a field block fragment after the parsed part. */
  readonly content: number;
}

/** Bytes of a priority before the field block of HEADERS, and below, of the promised stream in PUSH_PROMISE. */
export const PRIORITY_LENGTH = 5;
const PROMISED_LENGTH = 4;
export const SETTING_LENGTH = 6;

/** Number of bytes at the start of the payload that `parsePayload` needs. */
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
 * Parses a payload. Never throws: one that is too short, or has too much padding, becomes `bytes`; `frameViolations`
 * says why.
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
  const hasPriority = (flags & Flag.priority) !== 0;
  const priority = hasPriority ? parsePriority(head, needed - PRIORITY_LENGTH) : undefined;
  return { payload: { kind: 'headers', priority, fragment: content }, padding, content };
}

/** Bytes before DATA or a field block: Pad Length, priority or promised stream (RFC 9113 6.1, 6.2, 6.6). */
export function prefixLength({ type, flags }: Pick<FrameHeader, 'type' | 'flags'>): number {
  const padLength = (flags & Flag.padded) === 0 ? 0 : 1;
  if (type === FrameType.pushPromise) return padLength + PROMISED_LENGTH;
  const hasPriority = type === FrameType.headers && (flags & Flag.priority) !== 0;
  return hasPriority ? padLength + PRIORITY_LENGTH : padLength;
}

function parseControl({ type, flags, length }: FrameHeader, head: Buffer): FramePayload {
  const ack = (flags & Flag.ack) !== 0;
  switch (isControlLength(type, ack, length) ? type : undefined) {
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

/** The parameters of SETTINGS in order, including repeated and unknown ones (RFC 9113 6.5.1). */
export function parseSettings(payload: Buffer): Setting[] {
  const settings: Setting[] = [];
  for (let at = 0; at + SETTING_LENGTH <= payload.length; at += SETTING_LENGTH) {
    settings.push({ id: payload.readUInt16BE(at), value: payload.readUInt32BE(at + 2) });
  }
  return settings;
}

export function parsePriority(head: Buffer, at: number): Priority {
  const dependency = head.readUInt32BE(at);
  const weight = head.readUInt8(at + 4) + 1;
  return { exclusive: dependency >= HIGH_BIT, dependsOn: dependency % HIGH_BIT, weight };
}

/** DATA or a field block fragment, without prefix and padding; empty if there is too much padding. */
export function fragment({ type, flags, payload }: RawFrame): Buffer {
  const padding = (flags & Flag.padded) === 0 ? 0 : (payload[0] ?? 0);
  return payload.subarray(prefixLength({ type, flags }), Math.max(0, payload.length - padding));
}

/** The payload of SETTINGS (RFC 9113 6.5.1). */
export function settingsPayload(
  settings: readonly (readonly [id: number, value: number])[],
): Buffer {
  const bytes = Buffer.alloc(SETTING_LENGTH * settings.length);
  settings.forEach(([id, value], at) => {
    bytes.writeUInt16BE(id, SETTING_LENGTH * at);
    bytes.writeUInt32BE(value, SETTING_LENGTH * at + 2);
  });
  return bytes;
}
