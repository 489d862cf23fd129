import {
  DEFAULT_MAX_FRAME_SIZE,
  Flag,
  FRAMES,
  FrameType,
  HIGH_BIT,
  TYPE_OFFSET,
  FLAGS_OFFSET,
  STREAM_OFFSET,
} from '../../wire/http2/frame.ts';
import {
  isControlLength,
  parseSettings,
  prefixLength,
  type Setting,
} from '../../wire/http2/frame-payload.ts';
import { UnitReader, type UnitSink } from '../../wire/unit-reader.ts';
import { MAX_SECTION } from './load-connection.ts';

/** Receives the valid frames of a server. */
export interface FrameSink {
  /** Whether `onContent` is called. */
  readonly readsContent: boolean;
  /** Called with the content of a DATA frame, in pieces, before `onData`. */
  onContent(stream: number, content: Buffer): void;
  /** Called with a complete field block. */
  onHeaders(stream: number, block: Buffer, isEnd: boolean): void;
  /** Called after a DATA frame. @param size bytes that flow control counts @param length without padding */
  onData(stream: number, size: number, length: number, isEnd: boolean): void;
  onReset(stream: number, code: number): void;
  onSettings(settings: readonly Setting[]): void;
  onPing(payload: Buffer): void;
  onGoaway(lastStream: number, code: number): void;
  /** @param stream 0 for the connection */
  onWindowUpdate(stream: number, increment: number): void;
  /** Called once, if a frame breaks the rules. No other call follows. */
  onMalformed(): void;
}

const NOTHING: Buffer = Buffer.alloc(0);
/** Bytes of a GOAWAY frame before its debug data (RFC 9113 6.8). */
const GOAWAY_LENGTH = 8;

/** Maximum number of CONTINUATION frames of a field block. */
const MAX_FRAGMENTS = 1000;

/** Reads the frames of a server, and checks what does not depend on the state of streams. Content is only counted. */
export class FrameReader implements UnitSink {
  readonly #sink: FrameSink;
  readonly #reader = new UnitReader(FRAMES, this);
  #type = 0;
  #flags = 0;
  #stream = 0;
  #length = 0;
  /** What is kept of the payload. */
  #payload = NOTHING;
  /** Bytes of content and padding of a DATA frame that were read, if content is. */
  #contentRead = 0;
  /** The beginning of a field block whose CONTINUATION frames are arriving, and their stream; 0 between blocks. */
  #block = NOTHING;
  #blockStream = 0;
  #blockEnds = false;
  #fragments = 0;
  #isFirst = true;
  #isStopped = false;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  read(piece: Buffer): void {
    this.#reader.read(piece, 0);
  }

  /** Ends reading, also within a piece. */
  stop(): void {
    this.#isStopped = true;
  }

  onHeader(bytes: Buffer, at: number): number | undefined {
    if (this.#isStopped) return undefined;
    this.#length = FRAMES.lengthOf(bytes, at);
    this.#type = bytes[at + TYPE_OFFSET] ?? 0;
    this.#flags = bytes[at + FLAGS_OFFSET] ?? 0;
    this.#stream = bytes.readUInt32BE(at + STREAM_OFFSET) & 0x7fffffff;
    this.#payload = NOTHING;
    this.#contentRead = 0;
    if (this.#isValid()) return this.#bytesKept();
    this.#malformed();
    return undefined;
  }

  onHead(payload: Buffer): void {
    // What is only a part of the payload is used later, when the piece may have changed.
    this.#payload = payload.length < this.#length ? Buffer.from(payload) : payload;
  }

  onContent(bytes: Buffer, start: number, end: number): void {
    if (this.#type !== FrameType.data || !this.#sink.readsContent) return;
    const content = this.#contentLength;
    const from = this.#contentRead;
    this.#contentRead += end - start;
    // Padding follows.
    if (from < content) {
      const to = Math.min(end, start + content - from);
      this.#sink.onContent(this.#stream, bytes.subarray(start, to));
    }
  }

  onEnd(): void {
    if (this.#isStopped) return;
    const isEnd = (this.#flags & Flag.endStream) !== 0;
    switch (this.#type) {
      case FrameType.data:
        this.#endData(isEnd);
        break;
      case FrameType.headers:
        this.#endHeaders(isEnd);
        break;
      case FrameType.continuation:
        this.#endContinuation();
        break;
      default:
        this.#endControl();
    }
  }

  /** Whether the header is valid (RFC 9113 4.1, 6). */
  #isValid(): boolean {
    const type = this.#type;
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (this.#length > DEFAULT_MAX_FRAME_SIZE) return false;
    // SETTINGS come first (RFC 9113 3.4), and nothing comes between the frames of a field block (RFC 9113 4.3).
    const isAck = (this.#flags & Flag.ack) !== 0;
    if (isFirst && (type !== FrameType.settings || isAck)) return false;
    if (this.#blockStream !== 0 || type === FrameType.continuation) {
      return type === FrameType.continuation && this.#stream === this.#blockStream;
    }
    switch (type) {
      case FrameType.data:
      case FrameType.headers:
        return this.#stream !== 0 && this.#length >= prefixLengthOf(type, this.#flags);
      case FrameType.rstStream:
        return this.#stream !== 0 && this.#length === 4;
      case FrameType.settings:
      case FrameType.ping:
      case FrameType.goaway:
        return this.#stream === 0 && isControlLength(type, isAck, this.#length);
      // SETTINGS_ENABLE_PUSH is 0.
      case FrameType.pushPromise:
        return false;
      default:
        return isControlLength(type, false, this.#length);
    }
  }

  /** Bytes of the payload that are needed in one piece. */
  #bytesKept(): number {
    switch (this.#type) {
      case FrameType.data:
        return (this.#flags & Flag.padded) === 0 ? 0 : 1;
      case FrameType.goaway:
        return GOAWAY_LENGTH;
      case FrameType.headers:
      case FrameType.continuation:
      case FrameType.rstStream:
      case FrameType.settings:
      case FrameType.ping:
      case FrameType.windowUpdate:
        return this.#length;
      default:
        return 0;
    }
  }

  #endData(isEnd: boolean): void {
    const content = this.#contentLength;
    if (content < 0) this.#malformed();
    else this.#sink.onData(this.#stream, this.#length, content, isEnd);
  }

  /** Bytes of a DATA frame without padding; negative if there is too much of it. */
  get #contentLength(): number {
    const isPadded = (this.#flags & Flag.padded) !== 0;
    return isPadded ? this.#length - 1 - (this.#payload[0] ?? 0) : this.#length;
  }

  #endHeaders(isEnd: boolean): void {
    const start = prefixLengthOf(FrameType.headers, this.#flags);
    const isPadded = (this.#flags & Flag.padded) !== 0;
    const end = this.#length - (isPadded ? (this.#payload[0] ?? 0) : 0);
    if (end < start) {
      this.#malformed();
      return;
    }
    const fragment = start === 0 && !isPadded ? this.#payload : this.#payload.subarray(start, end);
    if ((this.#flags & Flag.endHeaders) !== 0) {
      this.#sink.onHeaders(this.#stream, fragment, isEnd);
      return;
    }
    this.#block = Buffer.from(fragment);
    this.#blockStream = this.#stream;
    this.#blockEnds = isEnd;
  }

  #endContinuation(): void {
    this.#block = Buffer.concat([this.#block, this.#payload]);
    this.#fragments++;
    // Without the second limit, empty frames would never end.
    if (this.#block.length > MAX_SECTION || this.#fragments > MAX_FRAGMENTS) {
      this.#malformed();
    } else if ((this.#flags & Flag.endHeaders) !== 0) {
      const block = this.#block;
      this.#block = NOTHING;
      this.#blockStream = 0;
      this.#fragments = 0;
      this.#sink.onHeaders(this.#stream, block, this.#blockEnds);
    }
  }

  #endControl(): void {
    const payload = this.#payload;
    const isAck = (this.#flags & Flag.ack) !== 0;
    switch (this.#type) {
      case FrameType.rstStream:
        this.#sink.onReset(this.#stream, payload.readUInt32BE(0));
        break;
      case FrameType.settings:
        if (!isAck) this.#sink.onSettings(parseSettings(payload));
        break;
      case FrameType.ping:
        if (!isAck) this.#sink.onPing(payload);
        break;
      case FrameType.goaway:
        this.#sink.onGoaway(payload.readUInt32BE(0) % HIGH_BIT, payload.readUInt32BE(4));
        break;
      case FrameType.windowUpdate:
        this.#sink.onWindowUpdate(this.#stream, payload.readUInt32BE(0) % HIGH_BIT);
        break;
      default:
    }
  }

  #malformed(): void {
    this.#isStopped = true;
    this.#sink.onMalformed();
  }
}

/** Bytes before content or field block. Most frames have neither padding nor priority. */
function prefixLengthOf(type: number, flags: number): number {
  return (flags & (Flag.padded | Flag.priority)) === 0 ? 0 : prefixLength({ type, flags });
}
