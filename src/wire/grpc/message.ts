/** A length-prefixed message (grpc/grpc doc/PROTOCOL-HTTP2.md). */
export interface Framed {
  /** Whether it is coded as `grpc-encoding` says. */
  readonly isCompressed: boolean;
  readonly content: Buffer;
}

/** Bytes of the prefix: a flag and the length, big-endian. */
export const PREFIX_LENGTH = 5;
/** The flag of a compressed message, and below, of trailers in the content (gRPC-Web). */
export const COMPRESSED = 0x01;
const TRAILERS = 0x80;
/** Smallest buffer for bytes that arrive in pieces. */
const MIN_BUFFER = 1024;

/** A frame of the content. @param flags `COMPRESSED`, 0, or those of trailers */
export function frameMessage(content: Uint8Array, flags = 0): Buffer {
  const frame = Buffer.allocUnsafe(PREFIX_LENGTH + content.length);
  frame[0] = flags;
  frame.writeUInt32BE(content.length, 1);
  frame.set(content, PREFIX_LENGTH);
  return frame;
}

/** A frame of trailers: a section as on HTTP/1.1, with names in lower case (gRPC-Web). */
export function frameTrailers(lines: readonly string[]): Buffer {
  let text = '';
  for (let at = 0; at < lines.length; at += 2) text += `${lines[at]}: ${lines[at + 1]}\r\n`;
  return frameMessage(Buffer.from(text, 'latin1'), TRAILERS);
}

/** What is wrong with the frames of a request. */
export class FramingError extends Error {
  /** Whether a length exceeds the limit. */
  readonly isTooLong: boolean;

  constructor(message: string, isTooLong = false) {
    super(message);
    this.isTooLong = isTooLong;
  }
}

/**
 * Finds messages in pieces of any size. Bytes are copied only if a message arrives in several pieces: then into a
 * buffer that grows, because a Buffer for each piece would take hundreds of times the memory of single bytes.
 */
export class MessageReader {
  readonly #limit: number;
  readonly #reserve: (bytes: number) => void;
  #bytes: Buffer = Buffer.alloc(0);
  /** Offset of the first byte that was not taken yet, and below, after the last one. */
  #start = 0;
  #end = 0;

  /**
   * @param limit maximum length of a message
   * @param reserve called with the size of a buffer before it is allocated; may throw
   */
  constructor(limit: number, reserve: (bytes: number) => void) {
    this.#limit = limit;
    this.#reserve = reserve;
  }

  /** Number of bytes that were not taken yet. */
  get length(): number {
    return this.#end - this.#start;
  }

  /** Whether the next message is complete, or its length is not allowed, so that `take` has an answer. */
  get isReady(): boolean {
    if (this.length < PREFIX_LENGTH) return false;
    const needed = this.#bytes.readUInt32BE(this.#start + 1);
    return needed > this.#limit || this.length >= PREFIX_LENGTH + needed;
  }

  push(piece: Buffer): void {
    if (this.length === 0) {
      this.#bytes = piece;
      this.#start = 0;
      this.#end = piece.length;
      return;
    }
    if (this.#end + piece.length > this.#bytes.length) this.#grow(this.length + piece.length);
    piece.copy(this.#bytes, this.#end);
    this.#end += piece.length;
  }

  /**
   * The next message; undefined if it is not complete. Its content is never overwritten.
   *
   * @throws FramingError
   */
  take(): Framed | undefined {
    if (this.length < PREFIX_LENGTH) return undefined;
    const flags = this.#bytes[this.#start] ?? 0;
    if (flags > COMPRESSED) throw new FramingError(`the flags of a message are ${flags}`);
    const length = this.#bytes.readUInt32BE(this.#start + 1);
    if (length > this.#limit) {
      const limit = `the maximum of ${this.#limit}`;
      throw new FramingError(`a message of ${length} bytes exceeds ${limit}`, true);
    }
    const begin = this.#start + PREFIX_LENGTH;
    if (begin + length > this.#end) return undefined;
    this.#start = begin + length;
    return {
      isCompressed: flags === COMPRESSED,
      content: this.#bytes.subarray(begin, begin + length),
    };
  }

  #grow(needed: number): void {
    const size = Math.max(MIN_BUFFER, 2 * needed);
    this.#reserve(size);
    const larger = Buffer.allocUnsafeSlow(size);
    this.#bytes.copy(larger, 0, this.#start, this.#end);
    this.#end -= this.#start;
    this.#start = 0;
    this.#bytes = larger;
  }
}
