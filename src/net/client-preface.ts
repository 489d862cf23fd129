import { ClientOpening } from './fingerprints.ts';
import {
  FRAME_HEADER_LENGTH,
  FrameType,
  PREFACE,
  readFrameHeader,
  type FrameHeader,
} from '../wire/http2/frame.ts';
import { parsePayload, type FramePayload } from '../wire/http2/frame-payload.ts';

/** Maximum bytes of frames captured per connection. Browsers send 40 to 150. */
export const MAX_CLIENT_PREFACE = 512;

/** Maximum bytes before the field block of HEADERS: Pad Length, Stream Dependency and Weight (RFC 9113 6.2). */
const MAX_HEADERS_PREFIX = 6;

export interface Frame extends FrameHeader {
  readonly payload: FramePayload;
}

/** The first frames of a client, as bytes. */
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
  /** The parts of the client's fingerprint. */
  readonly opening: ClientOpening;
  /** Why frames may be missing; undefined if the first HEADERS is included. */
  readonly missing: string | undefined;
}

const TOO_LONG = `the frames before the first HEADERS exceed ${MAX_CLIENT_PREFACE} bytes`;
const NOT_SEEN = 'the first HEADERS did not arrive, or were not captured';
const NOTHING = new Uint8Array();
const NOT_CAPTURED: CapturedPreface = {
  bytes: NOTHING,
  missing: 'the client preface was not captured',
};

/** Captures the first frames of a client, which may arrive in any number of pieces. */
export class PrefaceCapture {
  #received: Uint8Array = NOTHING;
  #frames: CapturedPreface | undefined;

  /** The frames so far; undefined before the first piece. */
  get frames(): CapturedPreface | undefined {
    return this.#frames;
  }

  /**
   * Captures the frames that a piece completes.
   *
   * @param piece next bytes from the client; the first piece begins with the client connection preface
   * @returns true if later bytes may add to the captured frames
   */
  add(piece: Uint8Array): boolean {
    if (this.#frames && this.#frames.missing !== NOT_SEEN) return false;
    const room = PREFACE.length + MAX_CLIENT_PREFACE - this.#received.length;
    const received = Buffer.concat([this.#received, piece.subarray(0, room)]);
    this.#frames = captureClientPreface(received);
    const isPartial = this.#frames.missing === NOT_SEEN;
    this.#received = isPartial ? received : NOTHING;
    return isPartial;
  }
}

/** Copies the complete frames up to the first HEADERS. */
export function captureClientPreface(bytes: Uint8Array): CapturedPreface {
  const frames = bytes.subarray(PREFACE.length, PREFACE.length + MAX_CLIENT_PREFACE);
  const { end, complete } = findFrames(frames);
  const missing = frames.length === MAX_CLIENT_PREFACE ? TOO_LONG : NOT_SEEN;
  return {
    bytes: Uint8Array.prototype.slice.call(frames, 0, end),
    missing: complete ? undefined : missing,
  };
}

interface FoundFrame {
  readonly header: FrameHeader;
  /** The payload; for HEADERS, only its first bytes, up to `MAX_HEADERS_PREFIX`. */
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

/** Parses captured frames, if there are any. */
export function parseClientPreface({ bytes, missing } = NOT_CAPTURED): ClientPreface {
  const frames: Frame[] = [];
  const opening = new ClientOpening();
  for (const { header, head } of findFrames(bytes).frames) {
    const frame = { ...header, payload: parsePayload(header, head).payload };
    frames.push(frame);
    opening.add(frame);
  }
  return { frames, opening, missing };
}
