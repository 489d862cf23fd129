import { UnitReader, type UnitSink } from '../../wire/unit-reader.ts';
import {
  DEFAULT_MAX_FRAME_SIZE,
  Flag,
  FRAME_HEADER_LENGTH,
  FRAMES,
  FrameType,
  PREFACE,
  readFrameHeader,
  type FrameHeader,
} from '../../wire/http2/frame.ts';
import { frameTypeName } from '../../wire/http2/names.ts';
import type { Sender } from '../protocol-reader.ts';
import { parsedLength, parsePayload, type FramePayload } from '../../wire/http2/frame-payload.ts';
import { frameViolations, NO_VIOLATIONS } from '../../wire/http2/frame-violations.ts';
import type { HeaderBlock } from '../../wire/http2/header-block.ts';
import type { HpackDecoder } from '../../wire/http2/hpack-decoder.ts';
import { connectionError, type Violation } from '../../wire/http2/violation.ts';

/** A field block that ended with a frame. */
export interface EndedBlock {
  readonly block: HeaderBlock;
  /** The HEADERS or PUSH_PROMISE frame that began the block. With CONTINUATION, another frame ends it. */
  readonly opener: FrameHeader;
  readonly continuations: number;
}

/** A complete frame as sent. */
export type Frame = Readonly<OpenFrame>;

/** What is kept of the frame because of which a connection ended. */
export type ErrorFrame = Pick<Frame, 'stream' | 'offset' | 'payload' | 'raw'>;

/** Bytes kept of a payload that is neither DATA nor a field block: enough for 170 settings, and Node accepts 32. */
const MAX_PAYLOAD = 1024;
const MAX_RAW = 1024;
const EMPTY = Buffer.alloc(0);
const NOT_PARSED: FramePayload = { kind: 'bytes', bytes: '' };

/** A frame whose payload is being read. It is a class because an object spread would be slow. */
class OpenFrame implements FrameHeader {
  readonly from: Sender;
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly length: number;
  /** Offset of the frame in bytes from the beginning of its direction. */
  readonly offset: number;
  /** Time of its first byte, and below, of its last byte, by the caller's clock. */
  readonly at: number;
  endedAt: number;
  /** Pad Length; undefined if the frame is not padded. */
  padding: number | undefined;
  payload: FramePayload = NOT_PARSED;
  /** The field block that this frame ended. */
  ended: EndedBlock | undefined;
  violations: readonly Violation[] = NO_VIOLATIONS;
  /** Client only: the first bytes of the frame, up to 1 KiB, in Latin-1. Of DATA only the header. */
  raw = '';
  /** Bytes of DATA, or of the field block, that have not arrived yet. */
  contentLeft = 0;

  constructor(
    { type, flags, stream, length }: FrameHeader,
    from: Sender,
    offset: number,
    at: number,
  ) {
    this.from = from;
    this.type = type;
    this.flags = flags;
    this.stream = stream;
    this.length = length;
    this.offset = offset;
    this.at = at;
    this.endedAt = at;
  }
}

/**
 * Reads the frames of one direction (RFC 9113 4) from pieces of any size. Never throws. Does not copy DATA and field
 * blocks; keeps at most one frame header, so many bytes of its payload and the decoder's state.
 */
export class Http2FrameReader implements UnitSink {
  /** SETTINGS_MAX_FRAME_SIZE of the receiver. Set it when the sender acknowledges it. */
  maxFrameSize = DEFAULT_MAX_FRAME_SIZE;
  readonly #from: Sender;
  readonly #hpack: HpackDecoder;
  readonly #onFrame: (frame: Frame) => void;
  readonly #reader: UnitReader;
  #confused: string | undefined;

  /** Bytes of the connection preface that have arrived. */
  #preface: number;
  #now = 0;
  #frame: OpenFrame | undefined;
  #isFirst = true;
  /** The HEADERS or PUSH_PROMISE frame whose field block has not ended. */
  #opener: FrameHeader | undefined;
  #continuations = 0;

  /** @param hpack decodes the field blocks of this direction */
  constructor(from: Sender, hpack: HpackDecoder, onFrame: (frame: Frame) => void) {
    this.#from = from;
    this.#hpack = hpack;
    this.#onFrame = onFrame;
    this.#preface = from === 'client' ? 0 : PREFACE.length;
    this.#reader = new UnitReader(FRAMES, this, PREFACE.length - this.#preface);
  }

  /** Why reading has stopped: the bytes are not HTTP/2; undefined if it has not. */
  get confused(): string | undefined {
    return this.#confused;
  }

  /** The frame that is still being read; undefined before its header is complete. */
  get incomplete(): ErrorFrame | undefined {
    const frame = this.#frame;
    if (frame === undefined) return undefined;
    const { stream, offset, payload } = frame;
    return {
      stream,
      offset,
      payload,
      raw: this.#rawWith(frame, this.#reader.partialHead),
    };
  }

  /** Memory of the incomplete frame in bytes. */
  get bytesKept(): number {
    return this.#reader.bytesKept;
  }

  /** @param now when the piece arrived */
  read(piece: Buffer, now: number): void {
    const start = this.#readPreface(piece);
    if (this.#confused !== undefined || start === piece.length) return;
    this.#now = now;
    this.#reader.read(start === 0 ? piece : piece.subarray(start), now);
  }

  /** Reads the connection preface. @returns how many bytes of the piece belong to it */
  #readPreface(piece: Buffer): number {
    const seen = this.#preface;
    if (seen === PREFACE.length) return 0;
    const length = Math.min(PREFACE.length - seen, piece.length);
    if (PREFACE.compare(piece, 0, length, seen, seen + length) !== 0) {
      this.#confused = 'the client connection preface is wrong (RFC 9113 3.4)';
    }
    this.#preface += length;
    return length;
  }

  onHeader(bytes: Buffer, at: number, offset: number, time: number): number {
    const header = readFrameHeader(bytes, at);
    const frame = new OpenFrame(header, this.#from, offset, time);
    this.#frame = frame;
    if (this.#from === 'client') frame.raw = bytes.toString('latin1', at, at + FRAME_HEADER_LENGTH);
    const needed = parsedLength(header, MAX_PAYLOAD);
    if (needed === 0) this.#parse(frame, EMPTY);
    return needed;
  }

  onHead(head: Buffer): void {
    const frame = this.#frame;
    if (frame === undefined) return;
    frame.raw = this.#rawWith(frame, head);
    this.#parse(frame, head);
  }

  onContent(bytes: Buffer, start: number, end: number): void {
    const frame = this.#frame;
    if (frame === undefined) return;
    const content = Math.min(frame.contentLeft, end - start);
    if (content > 0) {
      frame.contentLeft -= content;
      if (frame.payload.kind !== 'data') this.#hpack.write(bytes, start, start + content);
    }
    frame.raw = this.#rawWith(frame, bytes, start, end);
  }

  onEnd(): void {
    const frame = this.#frame;
    this.#frame = undefined;
    if (frame) this.#finish(frame);
  }

  /** `raw` of the frame with further bytes, up to `MAX_RAW`. */
  #rawWith({ raw, type }: OpenFrame, bytes: Buffer, start = 0, end = bytes.length): string {
    const room = MAX_RAW - raw.length;
    if (this.#from === 'server' || type === FrameType.data || room <= 0) return raw;
    return raw + bytes.toString('latin1', start, Math.min(end, start + room));
  }

  #parse(frame: OpenFrame, head: Buffer): void {
    const { payload, padding, content } = parsePayload(frame, head);
    frame.payload = payload;
    frame.padding = padding;
    frame.violations = frameViolations(frame, payload, this.#from, this.maxFrameSize);
    this.#checkOrder(frame);
    frame.contentLeft = content;
    switch (payload.kind) {
      case 'headers':
      case 'push-promise':
        // The previous block did not end. Its fields are unknown, and perhaps the state of the dynamic table.
        if (this.#opener !== undefined) this.#hpack.end();
        this.#opener = headerOf(frame);
        this.#continuations = 0;
        break;
      case 'continuation':
        if (this.#opener === undefined) frame.contentLeft = 0;
        else this.#continuations++;
        break;
      default:
    }
  }

  /** Reports a frame in a wrong place: before SETTINGS, or within a field block. */
  #checkOrder(frame: OpenFrame): void {
    const { type, flags, stream } = frame;
    if (this.#isFirst) {
      this.#isFirst = false;
      if (type !== FrameType.settings || (flags & Flag.ack) !== 0) {
        const name = frameTypeName(type);
        this.#addViolation(frame, 'RFC 9113 3.4', `the first frame is ${name}, not SETTINGS`);
      }
    }
    const opener = this.#opener;
    const continues = type === FrameType.continuation;
    if (opener === undefined) {
      if (continues)
        this.#addViolation(frame, 'RFC 9113 6.10', 'CONTINUATION outside of a field block');
    } else if (!continues || stream !== opener.stream) {
      const name = frameTypeName(type);
      const reason = `${name} on stream ${stream} within the field block of stream ${opener.stream}`;
      this.#addViolation(frame, 'RFC 9113 6.10', reason);
    }
  }

  #addViolation(frame: OpenFrame, section: string, reason: string, code?: string): void {
    frame.violations = [...frame.violations, connectionError(section, reason, code)];
  }

  #finish(frame: OpenFrame): void {
    const endsBlock = (frame.flags & Flag.endHeaders) !== 0 && 'fragment' in frame.payload;
    if (endsBlock) frame.ended = this.#endBlock(frame);
    frame.endedAt = this.#now;
    this.#onFrame(frame);
  }

  #endBlock(frame: OpenFrame): EndedBlock | undefined {
    const opener = this.#opener;
    if (opener === undefined) return undefined;
    this.#opener = undefined;
    const block = this.#hpack.end();
    if (block.error) {
      const { section, reason } = block.error;
      this.#addViolation(frame, section, `HPACK: ${reason}`, 'COMPRESSION_ERROR');
    }
    return { block, opener, continuations: this.#continuations };
  }
}

/** The header alone: what refers to it keeps nothing else of the frame. */
function headerOf({ type, flags, stream, length }: OpenFrame): FrameHeader {
  return { type, flags, stream, length };
}
