import {
  DEFAULT_MAX_FRAME_SIZE,
  Flag,
  FRAME_HEADER_LENGTH,
  FrameType,
  PREFACE,
  TYPE_OFFSET,
  type FrameHeader,
} from '../../wire/http2/frame.ts';
import { frameTypeName } from '../../wire/http2/names.ts';
import type { Sender } from '../protocol-reader.ts';
import { parsedLength, parsePayload, type FramePayload } from '../../wire/http2/frame-payload.ts';
import { frameViolations, NO_VIOLATIONS } from './frame-violations.ts';
import type { HeaderBlock } from '../../wire/http2/header-block.ts';
import type { HpackDecoder } from '../../wire/http2/hpack-decoder.ts';
import { connectionError, type Violation } from './violation.ts';

/** A frame as sent, complete. */
export interface Frame extends FrameHeader {
  readonly from: Sender;
  /** Where the frame starts, in bytes from the first one of the direction. */
  readonly offset: number;
  /** When its first byte arrived, and its last, by the caller's clock. */
  readonly at: number;
  readonly endedAt: number;
  /** Pad Length; undefined if the frame is not padded. */
  readonly padding: number | undefined;
  readonly payload: FramePayload;
  readonly violations: readonly Violation[];
  /** Of a client: its first bytes as sent, up to 1 KiB, one character per byte; of DATA only the header. */
  readonly raw: string;
}

/** What is kept of the frame at which a connection ended. */
export type ErrorFrame = Pick<Frame, 'stream' | 'offset' | 'payload' | 'raw'>;

export interface FrameReaderOptions {
  readonly from: Sender;
  /** Decodes the field blocks of this direction. */
  readonly hpack: HpackDecoder;
  /** Maximum bytes kept of a payload that is neither DATA nor a field block. */
  readonly maxPayload?: number | undefined;
  readonly onFrame: (frame: Frame) => void;
}

const FLAGS_OFFSET = 4;
const STREAM_OFFSET = 5;
/** Enough for 170 settings; Node ends a connection whose client sends more than 32. */
const DEFAULT_MAX_PAYLOAD = 1024;
const MAX_RAW = 1024;
const EMPTY: Buffer = Buffer.alloc(0);
const NOT_PARSED: FramePayload = { kind: 'bytes', bytes: '' };

/** A frame whose payload is being read. A class: object spread would take most of the time. */
class OpenFrame implements FrameHeader {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly length: number;
  readonly offset: number;
  readonly at: number;
  /** Bytes at the start of the payload that are parsed, and how many of them there are. */
  readonly headNeeded: number;
  headLength = 0;
  /** Those bytes, if they arrived in several pieces. */
  head = EMPTY;
  payload: FramePayload = NOT_PARSED;
  raw = '';
  padding: number | undefined = undefined;
  violations: readonly Violation[] = NO_VIOLATIONS;
  payloadLeft: number;
  /** Bytes of DATA or of the field block that are still to come. */
  contentLeft = 0;

  constructor(bytes: Buffer, start: number, maxPayload: number, offset: number, at: number) {
    this.length = bytes.readUIntBE(start, 3);
    this.type = bytes[start + TYPE_OFFSET] ?? 0;
    this.flags = bytes[start + FLAGS_OFFSET] ?? 0;
    this.stream = bytes.readUInt32BE(start + STREAM_OFFSET) & 0x7fffffff;
    this.offset = offset;
    this.at = at;
    this.headNeeded = parsedLength(this, maxPayload);
    this.payloadLeft = this.length;
  }
}

/**
 * Reads the frames of one direction (RFC 9113 4) from pieces of any size. Never throws. Copies neither
 * DATA nor field blocks; keeps at most one frame header, `maxPayload` bytes and the decoder's state.
 */
export class FrameReader {
  readonly #from: Sender;
  readonly #hpack: HpackDecoder;
  readonly #maxPayload: number;
  readonly #onFrame: (frame: Frame) => void;
  #maxFrameSize = DEFAULT_MAX_FRAME_SIZE;
  #confused: string | undefined;

  /** Bytes of the preface that have arrived. */
  #preface: number;
  #header = Buffer.alloc(FRAME_HEADER_LENGTH);
  #headerLength = 0;
  #headerAt = 0;
  #frame: OpenFrame | undefined;
  #isFirst = true;
  /** Bytes of complete frames, and of the preface. */
  #offset = 0;
  /** The HEADERS or PUSH_PROMISE whose block has not ended. */
  #opener: FrameHeader | undefined;
  #continuations = 0;

  constructor({ from, hpack, maxPayload = DEFAULT_MAX_PAYLOAD, onFrame }: FrameReaderOptions) {
    this.#from = from;
    this.#hpack = hpack;
    this.#maxPayload = maxPayload;
    this.#onFrame = onFrame;
    this.#preface = from === 'client' ? 0 : PREFACE.length;
  }

  /** Why nothing more is read: the bytes are not HTTP/2. */
  get confused(): string | undefined {
    return this.#confused;
  }

  /** SETTINGS_MAX_FRAME_SIZE of the receiver; call when the sender acknowledges it. */
  set maxFrameSize(size: number) {
    this.#maxFrameSize = size;
  }

  /** The frame that is incomplete, if its header is not. */
  get incomplete(): ErrorFrame | undefined {
    return this.#frame;
  }

  /** Bytes of an incomplete frame. */
  get pending(): number {
    const frame = this.#frame;
    return frame ? FRAME_HEADER_LENGTH + frame.length - frame.payloadLeft : this.#headerLength;
  }

  /** Memory of the incomplete frame, in bytes. */
  get bytesKept(): number {
    return this.#frame?.head.length ?? 0;
  }

  /** @param now when the piece arrived */
  read(piece: Buffer, now: number): void {
    let at = this.#readPreface(piece);
    while (at < piece.length && this.#confused === undefined) {
      const open = this.#frame;
      const start = at;
      at = open ? this.#readPayload(open, piece, at) : this.#readHeader(piece, at, now);
      if (open && this.#from === 'client') keepRaw(open, piece, start, at);
      const frame = this.#frame;
      if (frame !== undefined && frame.payloadLeft === 0 && frame.headLength === frame.headNeeded) {
        this.#finish(frame, now);
      }
    }
  }

  /** @returns how many bytes of the piece are of the preface */
  #readPreface(piece: Buffer): number {
    const seen = this.#preface;
    if (seen === PREFACE.length) return 0;
    const length = Math.min(PREFACE.length - seen, piece.length);
    if (PREFACE.compare(piece, 0, length, seen, seen + length) !== 0) {
      this.#confused = 'the client connection preface is wrong (RFC 9113 3.4)';
    }
    this.#preface += length;
    this.#offset += length;
    return length;
  }

  #readHeader(piece: Buffer, at: number, now: number): number {
    if (this.#headerLength === 0) {
      this.#headerAt = now;
      if (piece.length - at >= FRAME_HEADER_LENGTH) {
        this.#begin(piece, at);
        return at + FRAME_HEADER_LENGTH;
      }
    }
    const copied = piece.copy(this.#header, this.#headerLength, at, at + FRAME_HEADER_LENGTH);
    this.#headerLength += copied;
    if (this.#headerLength === FRAME_HEADER_LENGTH) {
      this.#headerLength = 0;
      this.#begin(this.#header, 0);
    }
    return at + copied;
  }

  #begin(bytes: Buffer, at: number): void {
    const frame = new OpenFrame(bytes, at, this.#maxPayload, this.#offset, this.#headerAt);
    this.#frame = frame;
    if (this.#from === 'client') frame.raw = bytes.toString('latin1', at, at + FRAME_HEADER_LENGTH);
    if (frame.headNeeded === 0) this.#parse(frame, EMPTY);
  }

  #readPayload(frame: OpenFrame, piece: Buffer, at: number): number {
    if (frame.headLength < frame.headNeeded) return this.#readHead(frame, piece, at);
    const length = Math.min(frame.payloadLeft, piece.length - at);
    const content = Math.min(frame.contentLeft, length);
    if (content > 0) {
      frame.contentLeft -= content;
      if (frame.payload.kind !== 'data') this.#hpack.write(piece, at, at + content);
    }
    frame.payloadLeft -= length;
    return at + length;
  }

  #readHead(frame: OpenFrame, piece: Buffer, at: number): number {
    const end = at + frame.headNeeded - frame.headLength;
    if (frame.headLength === 0 && end <= piece.length) {
      frame.headLength = frame.headNeeded;
      frame.payloadLeft -= frame.headNeeded;
      this.#parse(frame, piece.subarray(at, end));
      return end;
    }
    if (frame.headLength === 0) frame.head = Buffer.alloc(frame.headNeeded);
    const copied = piece.copy(frame.head, frame.headLength, at, end);
    frame.headLength += copied;
    frame.payloadLeft -= copied;
    if (frame.headLength === frame.headNeeded) {
      this.#parse(frame, frame.head);
      frame.head = EMPTY;
    }
    return at + copied;
  }

  #parse(frame: OpenFrame, head: Buffer): void {
    const { payload, padding, content } = parsePayload(frame, head);
    frame.payload = payload;
    frame.padding = padding;
    frame.violations = frameViolations(frame, payload, this.#from, this.#maxFrameSize);
    this.#checkOrder(frame);
    frame.contentLeft = content;
    switch (payload.kind) {
      case 'headers':
      case 'push-promise':
        // The block before it did not end: its fields are unknown, and perhaps the state of the table.
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

  /** Frames that must come at another place: before SETTINGS, or within a field block. */
  #checkOrder(frame: OpenFrame): void {
    if (this.#isFirst) {
      this.#isFirst = false;
      if (frame.type !== FrameType.settings || (frame.flags & Flag.ack) !== 0) {
        const name = frameTypeName(frame.type);
        this.#report(frame, 'RFC 9113 3.4', `the first frame is ${name}, not SETTINGS`);
      }
    }
    const opener = this.#opener;
    const continues = frame.type === FrameType.continuation;
    if (opener === undefined) {
      if (continues) this.#report(frame, 'RFC 9113 6.10', 'CONTINUATION outside of a field block');
    } else if (!continues || frame.stream !== opener.stream) {
      const name = frameTypeName(frame.type);
      const reason = `${name} on stream ${frame.stream} within the field block of stream ${opener.stream}`;
      this.#report(frame, 'RFC 9113 6.10', reason);
    }
  }

  #report(frame: OpenFrame, section: string, reason: string, code?: string): void {
    frame.violations = [...frame.violations, connectionError(section, reason, code)];
  }

  #finish(frame: OpenFrame, now: number): void {
    const { payload } = frame;
    if (
      (payload.kind === 'headers' ||
        payload.kind === 'push-promise' ||
        payload.kind === 'continuation') &&
      (frame.flags & Flag.endHeaders) !== 0 &&
      this.#opener !== undefined
    ) {
      const block = this.#hpack.end();
      payload.ended = { block, opener: this.#opener, continuations: this.#continuations };
      this.#opener = undefined;
      this.#reportBlock(frame, block);
    }
    this.#frame = undefined;
    this.#offset += FRAME_HEADER_LENGTH + frame.length;
    this.#onFrame({
      from: this.#from,
      offset: frame.offset,
      at: frame.at,
      endedAt: now,
      type: frame.type,
      flags: frame.flags,
      stream: frame.stream,
      length: frame.length,
      padding: frame.padding,
      payload,
      violations: frame.violations,
      raw: frame.raw,
    });
  }

  #reportBlock(frame: OpenFrame, { error }: HeaderBlock): void {
    if (error === undefined) return;
    this.#report(frame, error.section, `HPACK: ${error.reason}`, 'COMPRESSION_ERROR');
  }
}

function keepRaw(frame: OpenFrame, piece: Buffer, start: number, end: number): void {
  const room = MAX_RAW - frame.raw.length;
  if (frame.type === FrameType.data || room <= 0) return;
  frame.raw += piece.toString('latin1', start, Math.min(end, start + room));
}

function headerOf({ type, flags, stream, length }: FrameHeader): FrameHeader {
  return { type, flags, stream, length };
}
