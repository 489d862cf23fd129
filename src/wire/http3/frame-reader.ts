import { varintAt } from '../byte-reader.ts';
import { GrowingBuffer } from '../growing-buffer.ts';

/** How the payload of a frame is passed on: in pieces as they arrive, whole, or not at all. */
export type PayloadUse = 'pieces' | 'whole' | 'ignored';

export interface FrameHandler {
  /**
   * Called with the header of each frame.
   *
   * @param type exact, up to 62 bits
   * @param length of the payload in bytes; not exact above 2^53
   * @returns undefined to stop reading
   */
  onFrame(type: number | bigint, length: number): PayloadUse | undefined;
  onPiece(bytes: Buffer, start: number, end: number): void;
  /** Called with a whole payload, which may be a view of the bytes that are read. */
  onPayload(payload: Buffer): void;
}

const NOTHING: Buffer = Buffer.alloc(0);
/** Maximum bytes of a header: type and length. */
const MAX_HEADER = 16;

/** Finds the frames of a stream (RFC 9114 7.1) in pieces of any size. Keeps incomplete headers, and payloads to pass on whole. */
export class FrameReader {
  readonly #handler: FrameHandler;
  /** The part of a header that has arrived. */
  #header = NOTHING;
  #headerLength = 0;
  /** How the current payload is passed on; undefined between frames. */
  #use: PayloadUse | undefined;
  #length = 0;
  #left = 0;
  readonly #payload = new GrowingBuffer(() => undefined);
  #state: 'reading' | 'paused' | 'stopped' = 'reading';

  constructor(handler: FrameHandler) {
    this.#handler = handler;
  }

  /** Whether a frame has begun and is incomplete. */
  get isWithinFrame(): boolean {
    return this.#use !== undefined || this.#headerLength > 0;
  }

  /** Bytes of the incomplete frame that are kept. */
  get bytesKept(): number {
    return this.#headerLength + this.#payload.length;
  }

  /** Ends the present `read` early. Called by the handler. */
  pause(): void {
    if (this.#state === 'reading') this.#state = 'paused';
  }

  /** Ends reading for good, also within a piece. */
  stop(): void {
    this.#state = 'stopped';
  }

  /** @returns bytes read: all, unless `pause` or `stop` was called */
  read(bytes: Buffer): number {
    if (this.#state === 'paused') this.#state = 'reading';
    let at = 0;
    while (at < bytes.length && this.#state === 'reading') {
      at = this.#use === undefined ? this.#readHeader(bytes, at) : this.#readPayload(bytes, at);
    }
    return at;
  }

  #readHeader(bytes: Buffer, start: number): number {
    if (this.#headerLength === 0) {
      const length = headerLength(bytes, start, bytes.length);
      if (length <= bytes.length - start) {
        this.#begin(bytes, start);
        return start + length;
      }
      this.#header = Buffer.allocUnsafe(MAX_HEADER);
    }
    const header = this.#header;
    for (let at = start; at < bytes.length;) {
      header[this.#headerLength++] = bytes[at++] ?? 0;
      if (this.#headerLength < headerLength(header, 0, this.#headerLength)) continue;
      this.#headerLength = 0;
      this.#begin(header, 0);
      return at;
    }
    return bytes.length;
  }

  #begin(bytes: Buffer, at: number): void {
    const type = varintAt(bytes, at);
    const length = Number(varintAt(bytes, at + varintSize(bytes, at)));
    const use = this.#handler.onFrame(type, length);
    if (use === undefined) {
      this.#state = 'stopped';
      return;
    }
    this.#length = length;
    this.#left = length;
    if (length > 0) this.#use = use;
    else if (use === 'whole') this.#handler.onPayload(NOTHING);
  }

  #readPayload(bytes: Buffer, at: number): number {
    const end = at + Math.min(this.#left, bytes.length - at);
    const use = this.#use;
    this.#left -= end - at;
    const isComplete = this.#left === 0;
    if (isComplete) this.#use = undefined;
    if (use === 'pieces') this.#handler.onPiece(bytes, at, end);
    else if (use === 'whole') this.#readWhole(bytes, at, end, isComplete);
    return end;
  }

  #readWhole(bytes: Buffer, at: number, end: number, isComplete: boolean): void {
    if (isComplete && this.#payload.length === 0) {
      this.#handler.onPayload(bytes.subarray(at, end));
      return;
    }
    this.#payload.append(bytes, this.#length, at, end);
    if (isComplete) this.#handler.onPayload(this.#payload.take());
  }
}

/** Bytes of a variable-length integer, by its first byte (RFC 9000 16). */
export const varintSize = (bytes: Buffer, at: number): number => 1 << ((bytes[at] ?? 0) >> 6);

/** Bytes of the header at an offset: exact if it is complete, otherwise more than there are before `end`. */
function headerLength(bytes: Buffer, at: number, end: number): number {
  const type = varintSize(bytes, at);
  return at + type < end ? type + varintSize(bytes, at + type) : type + 1;
}
