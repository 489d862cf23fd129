import type { PeekResult } from './first-bytes.ts';
import { ByteReader } from './byte-reader.ts';
import { detectProtocol } from './detect-protocol.ts';

/** Frame types that are read (RFC 9113 6; RFC 9218 7.1). */
export const FrameType = {
  headers: 0x1,
  priority: 0x2,
  settings: 0x4,
  windowUpdate: 0x8,
  priorityUpdate: 0x10,
} as const;

/** Bytes of frames that are kept of a connection; what browsers send takes 40 to 150. */
export const MAX_CLIENT_PREFACE = 512;

/**
 * Milliseconds from SETTINGS to the first HEADERS. Clients that send both without waiting take 0.1 to
 * 3 ms on one machine (curl, nghttp, Go, Python's h2, Node, Java, Chromium). It is the time that a
 * client loses which waits for our SETTINGS, as RFC 9113 3.4 allows and gRPC does: nghttp2 sends them.
 */
export const HEADERS_TIMEOUT = 50;

/** The client connection preface (RFC 9113 3.4). */
const PREFACE_LENGTH = 24;
const FRAME_HEADER_LENGTH = 9;
/** Where the type stands in it. */
const TYPE_OFFSET = 3;
/** Pad Length, Stream Dependency and Weight: what stands before the fields (RFC 9113 6.2). */
const MAX_HEADERS_PREFIX = 6;
const PADDED = 0x8;
const PRIORITY = 0x20;
/** Reserved in a stream identifier and an increment, the exclusive flag in a dependency. */
const HIGH_BIT = 2 ** 31;

/** One frame (RFC 9113 4.1) as it came. */
export interface Frame {
  /** Bytes of its payload on the wire. */
  readonly length: number;
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  /** Of HEADERS only what stands before the fields. */
  readonly payload: Uint8Array;
}

export interface Setting {
  readonly id: number;
  readonly value: number;
}

/** A priority as RFC 7540 5.3 had it. */
export interface Priority {
  readonly exclusive: boolean;
  readonly dependsOn: number;
  /** 1 to 256. */
  readonly weight: number;
}

/** What is kept of a client's first bytes. */
export interface CapturedPreface {
  /** Whole frames; the first HEADERS without its fields. */
  readonly bytes: Uint8Array;
  /** Why frames may be missing; undefined where the first HEADERS is among them. */
  readonly missing: string | undefined;
}

/** The frames that a client opened its connection with, as far as they were seen. */
export interface ClientPreface {
  /** In order, up to the first HEADERS. */
  readonly frames: readonly Frame[];
  /** Why frames may be missing; undefined where the first HEADERS is among them. */
  readonly missing: string | undefined;
}

const TOO_LONG = `the frames before the first HEADERS have more than ${MAX_CLIENT_PREFACE} bytes`;
const TOO_LATE = `the first HEADERS came more than ${HEADERS_TIMEOUT} ms after SETTINGS`;
const NOT_CAPTURED: ClientPreface = { frames: [], missing: 'the connection preface was not seen' };

/**
 * Waits for SETTINGS, which have to come (RFC 9113 3.4), and then, for `MAX_WAIT` at the most, for the
 * first HEADERS. Bytes that are no HTTP/2 are left to the session to judge.
 */
export function peekClientPreface(bytes: Uint8Array, next: () => void): PeekResult {
  const sniffed = detectProtocol(bytes);
  if (sniffed === 'more') return bytes.length + 1;
  const flight = framesOf(bytes);
  const { end, complete } = endOfFrames(flight);
  const isFlight =
    sniffed === 'h2' && (flight[TYPE_OFFSET] ?? FrameType.settings) === FrameType.settings;
  if (!isFlight || complete || flight.length === MAX_CLIENT_PREFACE) return next;
  return end === 0 ? bytes.length + 1 : { timeout: HEADERS_TIMEOUT, resume: next };
}

/** A copy of what is worth keeping of a client's first bytes. */
export function captureClientPreface(bytes: Uint8Array): CapturedPreface {
  const flight = framesOf(bytes);
  const { end, complete } = endOfFrames(flight);
  const missing = flight.length === MAX_CLIENT_PREFACE ? TOO_LONG : TOO_LATE;
  return {
    bytes: Uint8Array.prototype.slice.call(flight, 0, end),
    missing: complete ? undefined : missing,
  };
}

function framesOf(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(PREFACE_LENGTH, PREFACE_LENGTH + MAX_CLIENT_PREFACE);
}

/** Where the last whole frame ends; of the first HEADERS the fields do not count. */
function endOfFrames(flight: Uint8Array): { end: number; complete: boolean } {
  let end = 0;
  for (;;) {
    const length =
      ((flight[end] ?? 0) << 16) | ((flight[end + 1] ?? 0) << 8) | (flight[end + 2] ?? 0);
    const complete = flight[end + TYPE_OFFSET] === FrameType.headers;
    const next =
      end + FRAME_HEADER_LENGTH + (complete ? Math.min(length, MAX_HEADERS_PREFIX) : length);
    if (next > flight.length) return { end, complete: false };
    end = next;
    if (complete) return { end, complete };
  }
}

/** Takes apart what was kept. A frame that is cut ends it. */
export function parseClientPreface(kept: CapturedPreface | undefined): ClientPreface {
  if (!kept) return NOT_CAPTURED;
  const reader = new ByteReader(kept.bytes);
  const frames: Frame[] = [];
  while (!reader.atEnd) {
    const length = reader.uint(3);
    const type = reader.uint(1);
    const flags = reader.uint(1);
    const stream = reader.uint(4) % HIGH_BIT;
    const isLast = type === FrameType.headers;
    const payload = reader.bytes(isLast ? Math.min(length, MAX_HEADERS_PREFIX) : length);
    if (reader.failed) break;
    frames.push({ length, type, flags, stream, payload });
    if (isLast) break;
  }
  return { frames, missing: kept.missing };
}

/** The parameters of SETTINGS in their order, repeated and unknown ones included (RFC 9113 6.5.1). */
export function parseSettings({ payload }: Frame): Setting[] {
  const reader = new ByteReader(payload);
  const settings: Setting[] = [];
  while (!reader.atEnd) {
    const setting = { id: reader.uint(2), value: reader.uint(4) };
    if (!reader.failed) settings.push(setting);
  }
  return settings;
}

/** The increment of WINDOW_UPDATE (RFC 9113 6.9). */
export function parseWindowIncrement({ payload }: Frame): number {
  return new ByteReader(payload).uint(4) % HIGH_BIT;
}

/** The priority in PRIORITY or HEADERS; undefined where HEADERS has none. */
export function parsePriority({ type, flags, payload }: Frame): Priority | undefined {
  const reader = new ByteReader(payload);
  if (type === FrameType.headers) {
    if ((flags & PRIORITY) === 0) return undefined;
    if ((flags & PADDED) !== 0) reader.bytes(1);
  }
  const dependency = reader.uint(4);
  const weight = reader.uint(1) + 1;
  if (reader.failed) return undefined;
  return { exclusive: dependency >= HIGH_BIT, dependsOn: dependency % HIGH_BIT, weight };
}

/** Which stream PRIORITY_UPDATE is about, and its Priority Field Value (RFC 9218 7.1). */
export function parsePriorityUpdate({ payload }: Frame): { stream: number; value: string } {
  const stream = new ByteReader(payload).uint(4) % HIGH_BIT;
  return { stream, value: Buffer.from(payload.subarray(4)).toString('latin1') };
}
