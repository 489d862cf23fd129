import {
  DEFAULT_MAX_FRAME_SIZE,
  Flag,
  FLAGS_OFFSET,
  FRAME_HEADER_LENGTH,
  FrameType,
  STREAM_OFFSET,
  TYPE_OFFSET,
} from './frame.ts';

const INITIAL_SIZE = 4096;
/** A larger buffer is not kept for further frames. */
const MAX_KEPT = 128 * 1024;
const NOTHING: Uint8Array = new Uint8Array(0);

/** Content to send. A string has one character per byte. */
export type Content = Uint8Array | string;

/** Collects frames, so that all that answer one piece of input are written at once. */
export class FrameOutput {
  #buffer = Buffer.allocUnsafeSlow(INITIAL_SIZE);
  #length = 0;

  /** Bytes that were not taken. */
  get length(): number {
    return this.#length;
  }

  /** Takes all frames. @returns bytes that change with the next frame, unless `keepTaken` is called before */
  take(): Buffer {
    const taken = this.#buffer.subarray(0, this.#length);
    this.#length = 0;
    if (this.#buffer.length > MAX_KEPT) this.keepTaken();
    return taken;
  }

  /** Leaves the taken bytes as they are for good. */
  keepTaken(): void {
    this.#buffer = Buffer.allocUnsafeSlow(INITIAL_SIZE);
  }

  /** Appends bytes as they are. */
  bytes(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length);
    this.#buffer.set(bytes, at);
  }

  frame(type: number, flags: number, stream: number, payload: Uint8Array = NOTHING): void {
    const at = this.#begin(payload.length, type, flags, stream);
    this.#buffer.set(payload, at);
  }

  /** Appends a frame whose payload is one 32-bit integer. */
  integerFrame(type: number, stream: number, value: number): void {
    this.#buffer.writeUInt32BE(value, this.#begin(4, type, 0, stream));
  }

  /** Appends DATA with a part of larger content. */
  data(stream: number, flags: number, content: Content, from: number, to: number): void {
    const at = this.#begin(to - from, FrameType.data, flags, stream);
    if (typeof content === 'string') {
      const part = from === 0 && to === content.length ? content : content.slice(from, to);
      this.#buffer.write(part, at, 'latin1');
    } else {
      this.#buffer.set(
        from === 0 && to === content.length ? content : content.subarray(from, to),
        at,
      );
    }
  }

  /** Appends a field block: HEADERS, and CONTINUATION if it is long. */
  block(stream: number, flags: number, block: Uint8Array): void {
    if (block.length <= DEFAULT_MAX_FRAME_SIZE) {
      this.frame(FrameType.headers, flags | Flag.endHeaders, stream, block);
      return;
    }
    this.frame(FrameType.headers, flags, stream, block.subarray(0, DEFAULT_MAX_FRAME_SIZE));
    for (let at = DEFAULT_MAX_FRAME_SIZE; at < block.length; at += DEFAULT_MAX_FRAME_SIZE) {
      const fragment = block.subarray(at, at + DEFAULT_MAX_FRAME_SIZE);
      const isLast = at + DEFAULT_MAX_FRAME_SIZE >= block.length;
      this.frame(FrameType.continuation, isLast ? Flag.endHeaders : 0, stream, fragment);
    }
  }

  /** Appends a frame header. @returns the offset of the payload, which the caller fills */
  #begin(length: number, type: number, flags: number, stream: number): number {
    const at = this.#reserve(FRAME_HEADER_LENGTH + length);
    const buffer = this.#buffer;
    buffer[at] = length >>> 16;
    buffer[at + 1] = length >>> 8;
    buffer[at + 2] = length;
    buffer[at + TYPE_OFFSET] = type;
    buffer[at + FLAGS_OFFSET] = flags;
    buffer[at + STREAM_OFFSET] = stream >>> 24;
    buffer[at + STREAM_OFFSET + 1] = stream >>> 16;
    buffer[at + STREAM_OFFSET + 2] = stream >>> 8;
    buffer[at + STREAM_OFFSET + 3] = stream;
    return at + FRAME_HEADER_LENGTH;
  }

  /** @returns the offset of so many bytes that the caller fills */
  #reserve(size: number): number {
    const at = this.#length;
    this.#length += size;
    if (this.#length > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.#length, 2 * this.#buffer.length));
      this.#buffer.copy(larger, 0, 0, at);
      this.#buffer = larger;
    }
    return at;
  }
}
