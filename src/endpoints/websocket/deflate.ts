import {
  constants,
  createDeflateRaw,
  createInflateRaw,
  type DeflateRaw,
  type InflateRaw,
} from 'node:zlib';
import { GrowingBuffer } from '../../wire/growing-buffer.ts';
import { MAX_RATIO, maxInflated } from '../../wire/inflation.ts';
import type { DeflateParameters } from '../../http/websocket.ts';
import { CloseCode } from '../../wire/websocket/frame.ts';
import { tooBig, WebSocketError } from '../../wire/websocket/frame-reader.ts';

const KiB = 1024;
/** Maximum number of DEFLATE streams in a message: each costs as much as a message (RFC 7692 7.2.3.4). */
const MAX_STREAMS = 16;

/** The end of a flush, which messages leave out (RFC 7692 7.2.1). */
const TAIL = Buffer.of(0, 0, 0xff, 0xff);
/** An empty block without compression (RFC 1951 3.2.4). */
const EMPTY_BLOCK = Buffer.of(0, 0, 0, 0xff, 0xff);
/** What follows a message. It has no content, unless the message ends elsewhere than in an empty block. */
const END = Buffer.concat([TAIL, EMPTY_BLOCK]);
/** An empty message (RFC 7692 7.2.3.6), and what follows a final block (7.2.3.4): the start of an empty block. */
const EMPTY = Buffer.of(0);
/** An empty message that ends in a final block, which fixed codes compress (RFC 1951 3.2.6). */
const FINAL_EMPTY = Buffer.of(3, 0, 0);

/** zlib has no raw DEFLATE with a window of 256 bytes. */
const MIN_WINDOW_BITS = 9;
/** Half of zlib's memory by default, for little less compression. */
const MEMORY_LEVEL = 5;
/** Bytes of memory of zlib for each direction, with a piece of output. */
const INFLATE_MEMORY = 64 * KiB;
const DEFLATE_MEMORY = 192 * KiB;

export interface DeflateOptions {
  readonly parameters: DeflateParameters;
  /** Whether each compressed message ends with a final block, and so is a DEFLATE stream (RFC 7692 7.2.3.4). */
  readonly finalBlock: boolean;
  /** Maximum bytes of a message's content. */
  readonly maxMessage: number;
  /** Called with a number of bytes before zlib or a message needs them; may throw to refuse. */
  readonly reserve: (bytes: number) => void;
  /** As `reserve`, with the bytes of a buffer for a message. */
  readonly allocate: (size: number) => void;
}

/**
 * Inflates and compresses the messages of a WebSocket (RFC 7692 7.2), one after the other: wait for the result of a call
 * before the next one. zlib works in other threads. It inflates piece by piece, and a message ends with the piece that
 * exceeds a limit.
 */
export class PerMessageDeflate {
  readonly #options: DeflateOptions;
  #inflater: InflateRaw | undefined;
  #deflater: DeflateRaw | undefined;
  /** Why the message that is being inflated ends early. */
  #failure: unknown;
  /** Of the message that is being inflated: compressed bytes so far, ended DEFLATE streams, and content so far. */
  #received = 0;
  #streams = 0;
  readonly #content: GrowingBuffer;
  readonly #compressed = new GrowingBuffer(() => undefined);

  constructor(options: DeflateOptions) {
    this.#options = options;
    this.#content = new GrowingBuffer(options.allocate);
  }

  /**
   * Inflates a frame of a message.
   *
   * @returns the content of the message after its last frame, undefined after others
   * @throws WebSocketError, and what `reserve` and `allocate` throw
   */
  async inflate(content: Buffer, isFinal: boolean): Promise<Buffer | undefined> {
    this.#received += content.length;
    await this.#inflateAll(content);
    if (!isFinal) return undefined;
    const { length } = this.#content;
    await this.#inflateAll(END);
    if (this.#content.length > length) throw malformed();
    if (this.#options.parameters.clientNoContextTakeover) this.#inflater?.reset();
    this.#received = 0;
    this.#streams = 0;
    return this.#content.take();
  }

  /** Compresses a message. @throws what `reserve` throws */
  async deflate(content: Buffer): Promise<Buffer> {
    const { finalBlock, parameters } = this.#options;
    if (content.length === 0) return finalBlock ? FINAL_EMPTY : EMPTY;
    const deflater = (this.#deflater ??= this.#createDeflater());
    await written(deflater, content);
    if (finalBlock || parameters.serverNoContextTakeover) deflater.reset();
    const compressed = this.#compressed.take();
    return finalBlock ? Buffer.concat([compressed, EMPTY]) : compressed.subarray(0, -TAIL.length);
  }

  /** Frees the memory of zlib. A pending result never comes. */
  close(): void {
    this.#inflater?.close();
    this.#deflater?.close();
  }

  /** Inflates bytes of one or more DEFLATE streams. */
  async #inflateAll(bytes: Buffer): Promise<void> {
    let rest = bytes;
    while (rest.length > 0) {
      this.#inflater ??= this.#createInflater();
      rest = rest.subarray(await this.#inflateSome(this.#inflater, rest));
      if (rest.length > 0) this.#endStream();
    }
  }

  /** Inflates bytes up to the end of the DEFLATE stream. @returns how many that are */
  async #inflateSome(inflater: InflateRaw, bytes: Buffer): Promise<number> {
    const before = inflater.bytesWritten;
    try {
      await written(inflater, bytes);
    } catch {
      this.#failure ??= malformed();
    }
    if (this.#failure) throw this.#failure;
    return inflater.bytesWritten - before;
  }

  /** Ends a DEFLATE stream whose last block was marked so, and which another one follows. */
  #endStream(): void {
    this.#inflater?.close();
    this.#inflater = undefined;
    if (++this.#streams <= MAX_STREAMS) return;
    const reason = `a message has more than ${MAX_STREAMS} DEFLATE streams`;
    throw new WebSocketError(CloseCode.invalidData, reason);
  }

  #createInflater(): InflateRaw {
    const { parameters, reserve } = this.#options;
    if (this.#streams === 0) reserve(INFLATE_MEMORY);
    const windowBits = Math.max(MIN_WINDOW_BITS, parameters.clientMaxWindowBits);
    const inflater = createInflateRaw({ windowBits });
    return inflater.on('error', ignore).on('data', (piece: Buffer) => {
      try {
        this.#add(piece);
      } catch (error) {
        this.#failure ??= error;
        inflater.destroy(this.#failure instanceof Error ? this.#failure : undefined);
      }
    });
  }

  /** Adds inflated bytes to the message. @throws WebSocketError if it is too large, and what `allocate` throws */
  #add(piece: Buffer): void {
    const { maxMessage } = this.#options;
    const length = this.#content.length + piece.length;
    if (length > maxMessage) throw tooBig('a message', maxMessage);
    if (length > maxInflated(this.#received)) {
      const reason = `a message inflates to more than ${MAX_RATIO} times its size`;
      throw new WebSocketError(CloseCode.tooBig, reason);
    }
    this.#content.append(piece, maxMessage);
  }

  #createDeflater(): DeflateRaw {
    const { parameters, finalBlock, reserve } = this.#options;
    reserve(DEFLATE_MEMORY);
    const bits = parameters.serverMaxWindowBits;
    const deflater = createDeflateRaw({
      flush: finalBlock ? constants.Z_FINISH : constants.Z_SYNC_FLUSH,
      windowBits: Math.max(MIN_WINDOW_BITS, bits),
      memLevel: MEMORY_LEVEL,
      // Without matches, no window is needed.
      ...(bits < MIN_WINDOW_BITS && { strategy: constants.Z_HUFFMAN_ONLY }),
    });
    return deflater.on('data', (piece: Buffer) => this.#compressed.append(piece, Infinity));
  }
}

const malformed = (): WebSocketError =>
  new WebSocketError(CloseCode.invalidData, 'a message cannot be inflated');

function ignore(): void {}

/** Writes to zlib. @returns when all that it makes of the bytes was emitted */
function written(zlib: InflateRaw | DeflateRaw, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    zlib.once('error', reject);
    zlib.write(bytes, (error) => {
      zlib.off('error', reject);
      // Emits what is still in the stream's buffer.
      while (zlib.read() !== null);
      if (error) reject(error);
      else resolve();
    });
  });
}
