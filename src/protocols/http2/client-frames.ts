import {
  Flag,
  FRAME_HEADER_LENGTH,
  FrameType,
  readFrameHeader,
  STREAM_OFFSET,
  type FrameHeader,
  type RawFrame,
} from '../../wire/http2/frame.ts';
import { isControlLength } from '../../wire/http2/frame-payload.ts';

/**
 * Finds the PING, SETTINGS and WINDOW_UPDATE frames that a client sends after its session was detached, except for
 * acknowledgements. The first bytes begin a frame, unless nghttp2 had already read a part of it. Bytes that cannot be a
 * frame header are therefore skipped, up to the next header of one of these frames.
 */
export class ClientFrames {
  readonly #maxFrameSize: number;
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes of the current frame that have yet to be skipped. */
  #left = 0;
  /** Whether the next bytes are a frame header, as far as is known. */
  #isAligned = true;

  /** @param maxFrameSize maximum payload in bytes that the client may send */
  constructor(maxFrameSize: number) {
    this.#maxFrameSize = maxFrameSize;
  }

  /** @returns the frames that this piece completes */
  read(piece: Buffer): readonly RawFrame[] {
    const frames: RawFrame[] = [];
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, piece]) : piece;
    let at = this.#left;
    while (at + FRAME_HEADER_LENGTH <= bytes.length) {
      const header = readFrameHeader(bytes, at);
      if (!this.#isHeader(header, bytes, at)) {
        this.#isAligned = false;
        at++;
        continue;
      }
      this.#isAligned = true;
      const start = at + FRAME_HEADER_LENGTH;
      const end = start + header.length;
      if (isWanted(header)) {
        if (end > bytes.length) break;
        frames.push({ ...header, payload: bytes.subarray(start, end) });
      }
      at = end;
    }
    this.#left = Math.max(0, at - bytes.length);
    this.#rest = Buffer.from(bytes.subarray(at));
    return frames;
  }

  #isHeader(header: FrameHeader, bytes: Buffer, at: number): boolean {
    const isReserved = (bytes[at + STREAM_OFFSET] ?? 0) >= 0x80;
    if (isReserved || !isPossible(header, this.#maxFrameSize)) return false;
    return this.#isAligned || (header.flags === 0 && isWanted(header));
  }
}

function isWanted({ type, flags }: FrameHeader): boolean {
  const isRequest = type === FrameType.ping || type === FrameType.settings;
  return type === FrameType.windowUpdate || (isRequest && (flags & Flag.ack) === 0);
}

/** Whether a client may send such a frame (RFC 9113 4.1, 5.1.1 and 6). */
function isPossible({ type, flags, stream, length }: FrameHeader, maxFrameSize: number): boolean {
  const isAck = (flags & Flag.ack) !== 0;
  if (length > maxFrameSize || !isControlLength(type, isAck, length)) return false;
  const isOfClient = stream % 2 === 1;
  switch (type) {
    case FrameType.settings:
    case FrameType.ping:
    case FrameType.goaway:
    case FrameType.priorityUpdate:
      return stream === 0;
    case FrameType.windowUpdate:
      return stream === 0 || isOfClient;
    default:
      return isOfClient || type > FrameType.continuation;
  }
}
