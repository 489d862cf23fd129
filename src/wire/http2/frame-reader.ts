import {
  DEFAULT_MAX_FRAME_SIZE,
  Flag,
  FLAGS_OFFSET,
  FRAMES,
  FrameType,
  HIGH_BIT,
  PREFACE,
  STREAM_OFFSET,
  TYPE_OFFSET,
  type FrameHeader,
} from './frame.ts';
import { parseSettings, prefixLength, SETTING_LENGTH, type Setting } from './frame-payload.ts';
import {
  lengthViolation,
  paddingViolation,
  sizeViolation,
  streamViolation,
} from './frame-violations.ts';
import { UnitReader, type UnitSink } from '../unit-reader.ts';
import { connectionError, streamError, type Violation } from './violation.ts';

/** Receives the frames of a peer, whose form is valid. Frames of other types are ignored (RFC 9113 5.5). */
export interface FrameSink {
  /** Called with the header of each frame, before the call for its type. It changes when this returns. */
  onFrame(header: FrameHeader): void;
  /** Called with a complete field block, which may be part of the bytes that are read. */
  onHeaders(stream: number, block: Buffer, isEnd: boolean): void;
  /** Called at a DATA frame, before its content. @param size bytes that flow control counts @param length without padding */
  onData(stream: number, size: number, length: number): void;
  /** Called with the content of the DATA frame, in pieces. */
  onContent(bytes: Buffer, start: number, end: number): void;
  /** Called when all of the DATA frame has arrived. */
  onDataEnd(isEnd: boolean): void;
  onReset(stream: number, code: number): void;
  onSettings(settings: readonly Setting[]): void;
  onSettingsAck(): void;
  onPing(payload: Buffer): void;
  onPong(payload: Buffer): void;
  onGoaway(lastStream: number, code: number): void;
  /** @param stream 0 for the connection */
  onWindowUpdate(stream: number, increment: number): void;
  /** Called if a frame breaks the rules. After a connection error, no other call follows. @param stream of the frame */
  onViolation(violation: Violation, stream: number): void;
}

export interface FrameLimits {
  /** Maximum bytes of a field block. */
  readonly block: number;
  /** Maximum number of CONTINUATION frames of a field block: without it, empty ones would never end. */
  readonly fragments: number;
}

/** Maximum number of settings in a frame, as nghttp2 has it: with the largest frame size there could be millions. */
const MAX_SETTINGS = 32;

const NOTHING: Buffer = Buffer.alloc(0);
/** Flags of what comes before a field block or content. */
const PREFIXED = Flag.padded | Flag.priority;
/** Bytes of a GOAWAY frame before its debug data (RFC 9113 6.8). */
const GOAWAY_LENGTH = 8;

/** Reads the frames of a peer, and checks what does not depend on the state of streams. */
export class FrameReader implements UnitSink {
  readonly #sink: FrameSink;
  readonly #limits: FrameLimits;
  readonly #reader = new UnitReader(FRAMES, this);
  /** SETTINGS_MAX_FRAME_SIZE of the receiver. */
  maxFrameSize = DEFAULT_MAX_FRAME_SIZE;
  /** The frame that is read. */
  readonly #frame = { type: 0, flags: 0, stream: 0, length: 0 };
  /** What is kept of the payload. */
  #payload = NOTHING;
  /** Bytes of content of a DATA frame that have not arrived. */
  #contentLeft = 0;
  /** The fragments of a field block whose CONTINUATION frames are arriving, and their stream; 0 between blocks. */
  #block: Buffer[] = [];
  #blockLength = 0;
  #blockStream = 0;
  #blockEnds = false;
  /** Bytes of the client's preface that have not arrived. */
  #prefaceLeft: number;
  #isFirst = true;
  #isStopped = false;

  /** @param expectsPreface whether the peer is a client */
  constructor(sink: FrameSink, expectsPreface: boolean, limits: FrameLimits) {
    this.#sink = sink;
    this.#limits = limits;
    this.#prefaceLeft = expectsPreface ? PREFACE.length : 0;
  }

  /** @returns bytes read: all, unless `pause` was called or reading has ended */
  read(bytes: Buffer): number {
    if (this.#isStopped) return 0;
    return this.#prefaceLeft === 0 ? this.#reader.read(bytes, 0) : this.#readPreface(bytes);
  }

  /** Ends `read` early, after the current frame. To be called by the sink. */
  pause(): void {
    this.#reader.pause();
  }

  /** Whether a field block has begun that has not arrived completely. */
  get isWithinBlock(): boolean {
    return (
      this.#blockStream !== 0 ||
      (this.#reader.isWithinContent && this.#frame.type === FrameType.headers)
    );
  }

  /** Ends reading, also within a piece. */
  stop(): void {
    this.#isStopped = true;
  }

  onHeader(bytes: Buffer, at: number): number | undefined {
    if (this.#isStopped) return undefined;
    const frame = this.#frame;
    frame.length = FRAMES.lengthOf(bytes, at);
    frame.type = bytes[at + TYPE_OFFSET] ?? 0;
    frame.flags = bytes[at + FLAGS_OFFSET] ?? 0;
    frame.stream = bytes.readUInt32BE(at + STREAM_OFFSET) & 0x7fffffff;
    this.#payload = NOTHING;
    this.#contentLeft = 0;
    const violation = this.#violation(frame);
    if (violation) {
      this.#report(violation);
      // A stream error leaves the rest of the frame to be skipped.
      return violation.scope === 'connection' ? undefined : 0;
    }
    this.#sink.onFrame(frame);
    const kept = bytesKept(frame);
    if (frame.type === FrameType.data && kept === 0) this.#beginData(0, 0);
    return this.#isStopped ? undefined : kept;
  }

  onHead(payload: Buffer): void {
    const { type, length } = this.#frame;
    if (type === FrameType.data) this.#beginData(1, payload[0] ?? 0);
    // What is only a part of the payload is used later, when the bytes may have changed.
    else this.#payload = payload.length < length ? Buffer.from(payload) : payload;
  }

  onContent(bytes: Buffer, start: number, end: number): void {
    // Padding follows the content.
    const content = Math.min(this.#contentLeft, end - start);
    if (content === 0 || this.#isStopped) return;
    this.#contentLeft -= content;
    this.#sink.onContent(bytes, start, start + content);
  }

  onEnd(): void {
    if (this.#isStopped) return;
    const { type, flags } = this.#frame;
    switch (type) {
      case FrameType.data:
        this.#sink.onDataEnd((flags & Flag.endStream) !== 0);
        break;
      case FrameType.headers:
        this.#endHeaders(flags);
        break;
      case FrameType.continuation:
        this.#endContinuation(flags);
        break;
      default:
        this.#endControl(this.#frame, this.#payload);
    }
  }

  #readPreface(bytes: Buffer): number {
    const at = PREFACE.length - this.#prefaceLeft;
    const length = Math.min(this.#prefaceLeft, bytes.length);
    if (PREFACE.compare(bytes, 0, length, at, at + length) !== 0) {
      this.#report(connectionError('RFC 9113 3.4', 'the client preface is invalid'));
      return 0;
    }
    this.#prefaceLeft -= length;
    if (this.#prefaceLeft > 0 || this.#isStopped) return length;
    return length + this.#reader.read(bytes.subarray(length), 0);
  }

  /** The violation of a frame header (RFC 9113 4.1, 6). */
  #violation(frame: FrameHeader): Violation | undefined {
    const { type, stream } = frame;
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (isFirst && (type !== FrameType.settings || (frame.flags & Flag.ack) !== 0)) {
      return connectionError('RFC 9113 3.4', 'the first frame is not SETTINGS');
    }
    if (frame.length > this.maxFrameSize) return sizeViolation(frame, this.maxFrameSize);
    if (
      this.#blockStream !== 0 &&
      (type !== FrameType.continuation || stream !== this.#blockStream)
    ) {
      return connectionError('RFC 9113 4.3', 'a frame within a field block');
    }
    if (this.#blockStream === 0 && type === FrameType.continuation) {
      return connectionError('RFC 9113 6.10', 'CONTINUATION without a field block');
    }
    const tooMuch = this.#excess(frame);
    if (tooMuch) return tooMuch;
    // Most frames are on a stream, and have neither padding nor priority: they may have any length.
    if (type <= FrameType.headers && stream !== 0 && (frame.flags & PREFIXED) === 0)
      return undefined;
    const misplaced = streamViolation(frame);
    if (misplaced) return misplaced;
    if (type === FrameType.pushPromise) {
      return connectionError('RFC 9113 8.4', 'PUSH_PROMISE, which is not allowed');
    }
    const wrong = lengthViolation(frame);
    if (!wrong || type !== FrameType.priority) return wrong;
    return streamError(wrong.section, wrong.reason, wrong.code);
  }

  /** The violation of a frame whose payload would be kept, and is too much (RFC 9113 10.5). */
  #excess({ type, length }: FrameHeader): Violation | undefined {
    if (type === FrameType.settings) {
      const count = Math.floor(length / SETTING_LENGTH);
      if (count <= MAX_SETTINGS) return undefined;
      return connectionError('RFC 9113 10.5', `${count} settings in a frame`, 'ENHANCE_YOUR_CALM');
    }
    if (type !== FrameType.headers && type !== FrameType.continuation) return undefined;
    const size = this.#blockLength + length;
    const fragments = this.#block.length;
    if (size <= this.#limits.block && fragments < this.#limits.fragments) return undefined;
    const reason = `a field block of ${fragments + 1} frames, ${size} bytes`;
    return connectionError('RFC 9113 10.5.1', reason, 'ENHANCE_YOUR_CALM');
  }

  /** @param prefix bytes before the content @param padding bytes after it */
  #beginData(prefix: number, padding: number): void {
    const { stream, length } = this.#frame;
    this.#contentLeft = length - prefix - padding;
    if (this.#contentLeft >= 0) this.#sink.onData(stream, length, this.#contentLeft);
    else this.#report(paddingViolation(this.#frame));
  }

  #endHeaders(flags: number): void {
    const block = this.#fragment(flags);
    if (!block) return;
    const { stream } = this.#frame;
    const isEnd = (flags & Flag.endStream) !== 0;
    if ((flags & Flag.endHeaders) !== 0) {
      this.#sink.onHeaders(stream, block, isEnd);
      return;
    }
    this.#block = [Buffer.from(block)];
    this.#blockLength = block.length;
    this.#blockStream = stream;
    this.#blockEnds = isEnd;
  }

  /** The field block fragment of HEADERS; undefined if that is malformed. */
  #fragment(flags: number): Buffer | undefined {
    const payload = this.#payload;
    // Most have neither.
    if ((flags & PREFIXED) === 0) return payload;
    const start = prefixLength(this.#frame);
    const end = payload.length - ((flags & Flag.padded) === 0 ? 0 : (payload[0] ?? 0));
    if (end < start) return this.#report(paddingViolation(this.#frame));
    return payload.subarray(start, end);
  }

  #endContinuation(flags: number): void {
    this.#block.push(Buffer.from(this.#payload));
    this.#blockLength += this.#payload.length;
    if ((flags & Flag.endHeaders) === 0) return;
    const block = Buffer.concat(this.#block);
    const stream = this.#blockStream;
    this.#block = [];
    this.#blockLength = 0;
    this.#blockStream = 0;
    this.#sink.onHeaders(stream, block, this.#blockEnds);
  }

  #endControl(frame: FrameHeader, payload: Buffer): void {
    const { type, flags, stream } = frame;
    const isAck = (flags & Flag.ack) !== 0;
    switch (type) {
      case FrameType.rstStream:
        this.#sink.onReset(stream, payload.readUInt32BE(0));
        break;
      case FrameType.settings:
        if (isAck) this.#sink.onSettingsAck();
        else this.#sink.onSettings(parseSettings(payload));
        break;
      case FrameType.ping:
        if (isAck) this.#sink.onPong(payload);
        else this.#sink.onPing(payload);
        break;
      case FrameType.goaway:
        this.#sink.onGoaway(payload.readUInt32BE(0) % HIGH_BIT, payload.readUInt32BE(4));
        break;
      case FrameType.windowUpdate:
        this.#sink.onWindowUpdate(stream, payload.readUInt32BE(0) % HIGH_BIT);
        break;
      default:
    }
  }

  #report(violation: Violation | undefined): undefined {
    if (!violation) return;
    if (violation.scope === 'connection') this.#isStopped = true;
    this.#sink.onViolation(violation, this.#frame.stream);
  }
}

/** Bytes of the payload that are needed in one piece. */
function bytesKept({ type, flags, length }: FrameHeader): number {
  switch (type) {
    case FrameType.data:
      return (flags & Flag.padded) === 0 ? 0 : 1;
    case FrameType.goaway:
      return GOAWAY_LENGTH;
    case FrameType.headers:
    case FrameType.continuation:
    case FrameType.priority:
    case FrameType.rstStream:
    case FrameType.settings:
    case FrameType.ping:
    case FrameType.windowUpdate:
      return length;
    default:
      return 0;
  }
}
