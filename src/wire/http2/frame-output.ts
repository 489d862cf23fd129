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
/** A connection keeps a buffer of at most so many bytes for itself. */
const MAX_OWN = 16 * 1024;
/** Size of the buffers that all connections take turns with, for frames with much content. */
const SHARED_SIZE = 160 * 1024;
const MAX_SPARE = 8;
const spare: Buffer[] = [];
/** Bytes of content that are not worth a piece of their own. */
const MIN_REFERENCE = 4096;
const NOTHING: Uint8Array = new Uint8Array(0);

/** Content to send. A string has one character per byte. */
export type Content = Uint8Array | string;

/** Content that is sent from where it is, after so many bytes of the buffer. */
interface Reference {
  readonly at: number;
  readonly content: Uint8Array;
}

/** Collects frames, so that all that answer one piece of input are written at once. */
export class FrameOutput {
  readonly #gathers: boolean;
  /** In the order of their offsets. */
  #references: Reference[] = [];
  #referencedLength = 0;
  #own: Buffer = Buffer.allocUnsafeSlow(INITIAL_SIZE);
  /** Where frames are collected: the own buffer, or a larger one until it is taken. */
  #buffer = this.#own;
  #length = 0;
  /** The larger buffer that was taken, until it may be used again. */
  #taken: Buffer | undefined;

  /** @param gathers whether large content is not copied, so that what is taken has several pieces */
  constructor(gathers = false) {
    this.#gathers = gathers;
  }

  /** Bytes that were not taken. */
  get length(): number {
    return this.#length + this.#referencedLength;
  }

  /** Bytes of these that are in a buffer of this object. */
  get copiedLength(): number {
    return this.#length;
  }

  /** Takes all frames. @returns pieces, of which some change with the next frame, unless `keepTaken` is called before */
  take(): readonly Uint8Array[] {
    this.reuseTaken();
    const taken = this.#pieces();
    this.#length = 0;
    if (this.#buffer !== this.#own) {
      this.#taken = this.#buffer;
      this.#buffer = this.#own;
    }
    return taken;
  }

  #pieces(): Uint8Array[] {
    const buffer = this.#buffer;
    if (this.#references.length === 0) return [buffer.subarray(0, this.#length)];
    const pieces: Uint8Array[] = [];
    let start = 0;
    for (const { at, content } of this.#references) {
      pieces.push(buffer.subarray(start, at), content);
      start = at;
    }
    if (start < this.#length) pieces.push(buffer.subarray(start, this.#length));
    this.#references = [];
    this.#referencedLength = 0;
    return pieces;
  }

  /** Leaves the taken bytes as they are for good. */
  keepTaken(): void {
    if (this.#taken) this.#taken = undefined;
    else {
      this.#own = Buffer.allocUnsafeSlow(INITIAL_SIZE);
      this.#buffer = this.#own;
    }
  }

  /** Call before frames of so many bytes are added, so that the buffer need not grow several times. */
  expect(size: number): void {
    if (this.#gathers) return;
    const needed = this.#length + size;
    if (needed > this.#buffer.length) this.#grow(needed);
  }

  /** Gives the memory of the taken bytes to others, if there is much of it. Call as soon as they are not used any more. */
  reuseTaken(): void {
    if (this.#taken?.length === SHARED_SIZE && spare.length < MAX_SPARE) spare.push(this.#taken);
    this.#taken = undefined;
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
    const at = this.#begin(4, type, 0, stream);
    this.#buffer.writeUInt32BE(value, at);
  }

  /** Appends DATA with a part of larger content. */
  data(stream: number, flags: number, content: Content, from: number, to: number): void {
    const length = to - from;
    const isWhole = length === content.length;
    if (typeof content === 'string') {
      const at = this.#begin(length, FrameType.data, flags, stream);
      this.#buffer.write(isWhole ? content : content.slice(from, to), at, 'latin1');
      return;
    }
    const part = isWhole ? content : content.subarray(from, to);
    if (this.#gathers && length >= MIN_REFERENCE) {
      const at = this.#reserve(FRAME_HEADER_LENGTH);
      this.#writeHeader(at, length, FrameType.data, flags, stream);
      this.#references.push({ at: at + FRAME_HEADER_LENGTH, content: part });
      this.#referencedLength += length;
      return;
    }
    const at = this.#begin(length, FrameType.data, flags, stream);
    this.#buffer.set(part, at);
  }

  /** Appends DATA with padding (RFC 9113 6.1). @param padding in bytes, at most 255 */
  paddedData(
    stream: number,
    flags: number,
    content: Content,
    from: number,
    to: number,
    padding: number,
  ): void {
    const part = content.slice(from, to);
    const length = part.length;
    const at = this.#begin(1 + length + padding, FrameType.data, flags | Flag.padded, stream);
    this.#buffer[at] = padding;
    if (typeof part === 'string') this.#buffer.write(part, at + 1, 'latin1');
    else this.#buffer.set(part, at + 1);
    this.#buffer.fill(0, at + 1 + length, at + 1 + length + padding);
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
    this.#writeHeader(at, length, type, flags, stream);
    return at + FRAME_HEADER_LENGTH;
  }

  #writeHeader(at: number, length: number, type: number, flags: number, stream: number): void {
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
  }

  /** @returns the offset of so many bytes that the caller fills */
  #reserve(size: number): number {
    const at = this.#length;
    this.#length += size;
    if (this.#length > this.#buffer.length) this.#grow(this.#length, at);
    return at;
  }

  /** @param used bytes to keep */
  #grow(needed: number, used = this.#length): void {
    const size = Math.max(needed, 2 * this.#buffer.length);
    let larger: Buffer;
    if (size <= MAX_OWN) {
      larger = Buffer.allocUnsafeSlow(size);
      this.#own = larger;
    } else {
      this.reuseTaken();
      const isShared = needed <= SHARED_SIZE;
      larger =
        (isShared ? spare.pop() : undefined) ??
        Buffer.allocUnsafeSlow(isShared ? SHARED_SIZE : size);
    }
    this.#buffer.copy(larger, 0, 0, used);
    this.#buffer = larger;
  }
}
