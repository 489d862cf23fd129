import type { PeekResult } from './first-bytes.ts';
import { ClientOpening } from './fingerprints.ts';
import { detectProtocol } from './detect-protocol.ts';
import {
  FRAME_HEADER_LENGTH,
  FrameType,
  PREFACE,
  readFrameHeader,
  TYPE_OFFSET,
  type FrameHeader,
} from '../wire/http2/frame.ts';
import { parsePayload, type FramePayload } from '../wire/http2/frame-payload.ts';

/** Maximum bytes of frames that are captured per connection. Browsers send 40 to 150. */
export const MAX_CLIENT_PREFACE = 512;

/**
 * Milliseconds to wait for the first HEADERS after SETTINGS. Clients that send both together take 0.1 to 3 ms locally
 * (curl, nghttp, Go, Python's h2, Node, Java, Chromium). A client that waits for the server's SETTINGS, as gRPC does
 * (RFC 9113 3.4), is delayed by this time, because nghttp2 sends them only then.
 */
export const HEADERS_TIMEOUT = 50;

/** Bytes of HEADERS before the field block: Pad Length, Stream Dependency and Weight (RFC 9113 6.2). */
const MAX_HEADERS_PREFIX = 6;

/** A frame as sent. */
export interface Frame extends FrameHeader {
  readonly payload: FramePayload;
}

/** The first frames of a client, as captured bytes. */
export interface CapturedPreface {
  /** Complete frames. The last one may be HEADERS without its field block. */
  readonly bytes: Uint8Array;
  /** Why frames may be missing; undefined if the first HEADERS is included. */
  readonly missing: string | undefined;
}

/** The first frames of a client, parsed. */
export interface ClientPreface {
  /** Frames in order, up to the first HEADERS. */
  readonly frames: readonly Frame[];
  /** The parts of the fingerprint. */
  readonly opening: ClientOpening;
  /** Why frames may be missing; undefined if the first HEADERS is included. */
  readonly missing: string | undefined;
}

const TOO_LONG = `the frames before the first HEADERS exceed ${MAX_CLIENT_PREFACE} bytes`;
const TOO_LATE = `the first HEADERS arrived more than ${HEADERS_TIMEOUT} ms after SETTINGS`;
const NOT_CAPTURED: ClientPreface = {
  frames: [],
  opening: new ClientOpening(),
  missing: 'the client preface was not captured',
};

/**
 * Waits for SETTINGS, which is required (RFC 9113 3.4), and then up to `HEADERS_TIMEOUT` for the first HEADERS. Bytes
 * that are not HTTP/2 are left to the session.
 */
export function peekClientPreface(bytes: Uint8Array, resume: () => void): PeekResult {
  const protocol = detectProtocol(bytes);
  if (protocol === 'more') return bytes.length + 1;
  const frames = prefaceFrames(bytes);
  const { end, complete } = findFrames(frames);
  const startsWithSettings =
    protocol === 'h2' && (frames[TYPE_OFFSET] ?? FrameType.settings) === FrameType.settings;
  if (!startsWithSettings || complete || frames.length === MAX_CLIENT_PREFACE) return resume;
  return end === 0 ? bytes.length + 1 : { timeout: HEADERS_TIMEOUT, resume };
}

/** Copies the complete frames up to the first HEADERS. */
export function captureClientPreface(bytes: Uint8Array): CapturedPreface {
  const frames = prefaceFrames(bytes);
  const { end, complete } = findFrames(frames);
  const missing = frames.length === MAX_CLIENT_PREFACE ? TOO_LONG : TOO_LATE;
  return {
    bytes: Uint8Array.prototype.slice.call(frames, 0, end),
    missing: complete ? undefined : missing,
  };
}

function prefaceFrames(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(PREFACE.length, PREFACE.length + MAX_CLIENT_PREFACE);
}

interface FoundFrame {
  readonly header: FrameHeader;
  /** The payload; of HEADERS without the field block. */
  readonly head: Buffer;
}

/** Finds the complete frames, up to the first HEADERS. */
function findFrames(bytes: Uint8Array): { frames: FoundFrame[]; end: number; complete: boolean } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const frames: FoundFrame[] = [];
  let end = 0;
  while (end + FRAME_HEADER_LENGTH <= buffer.length) {
    const header = readFrameHeader(buffer, end);
    const complete = header.type === FrameType.headers;
    const start = end + FRAME_HEADER_LENGTH;
    const length = complete ? Math.min(header.length, MAX_HEADERS_PREFIX) : header.length;
    if (start + length > buffer.length) break;
    end = start + length;
    frames.push({ header, head: buffer.subarray(start, end) });
    if (complete) return { frames, end, complete };
  }
  return { frames, end, complete: false };
}

/** Parses the captured frames. */
export function parseClientPreface(captured: CapturedPreface | undefined): ClientPreface {
  if (!captured) return NOT_CAPTURED;
  const frames: Frame[] = [];
  const opening = new ClientOpening();
  for (const { header, head } of findFrames(captured.bytes).frames) {
    const frame = { ...header, payload: parsePayload(header, head).payload };
    frames.push(frame);
    opening.add(frame);
  }
  return { frames, opening, missing: captured.missing };
}
