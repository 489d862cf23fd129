import { Duplex, Readable } from 'node:stream';
import type { FieldLines } from '../../http/fields.ts';
import type { ResponseSink } from './response-sink.ts';

const NO_TRAILERS: FieldLines = [];

/** Returns the flow-control credit of content that was read. @param bytes number of them */
type ReturnCredit = (bytes: number) => void;

/** What a request receives after its header section. */
export interface IncomingContent extends Readable {
  readonly isComplete: boolean;
  readonly trailers: FieldLines;
  add(piece: Buffer): void;
  /** Call when all of the content has arrived. */
  finish(trailers: FieldLines): void;
}

/** Credit of content that waits to be read. */
class Credit {
  readonly #return: ReturnCredit;
  #held = 0;

  constructor(returnCredit: ReturnCredit) {
    this.#return = returnCredit;
  }

  hold(bytes: number): void {
    this.#held += bytes;
  }

  release(): void {
    const held = this.#held;
    this.#held = 0;
    if (held > 0) this.#return(held);
  }
}

/** The content of a request (RFC 9113 8.1), as a stream. Credit is returned once it was read (5.2). */
export class Content extends Readable implements IncomingContent {
  readonly #credit: Credit;
  #trailers = NO_TRAILERS;
  #isComplete = false;

  constructor(returnCredit: ReturnCredit) {
    // A buffer that is not empty has not been read.
    super({ highWaterMark: 1 });
    this.#credit = new Credit(returnCredit);
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** The trailers (RFC 9110 6.5); empty until the content is complete. */
  get trailers(): FieldLines {
    return this.#trailers;
  }

  add(piece: Buffer): void {
    this.#credit.hold(piece.length);
    if (this.destroyed || this.push(piece)) this.#credit.release();
  }

  finish(trailers: FieldLines): void {
    this.#isComplete = true;
    this.#trailers = trailers;
    if (!this.destroyed) this.push(null);
  }

  override _read(): void {
    this.#credit.release();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#credit.release();
    callback(error);
  }
}

/** Both directions of a CONNECT request, which may become a tunnel (RFC 9113 8.5, RFC 8441). */
export class Tunnel extends Duplex implements IncomingContent {
  readonly trailers = NO_TRAILERS;
  readonly #credit: Credit;
  #isComplete = false;
  #sink: ResponseSink | undefined;

  constructor(returnCredit: ReturnCredit) {
    super({ readableHighWaterMark: 1, autoDestroy: false });
    this.#credit = new Credit(returnCredit);
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Call when the response has begun, before anything is written. */
  sendTo(sink: ResponseSink): void {
    this.#sink = sink;
  }

  add(piece: Buffer): void {
    this.#credit.hold(piece.length);
    if (this.destroyed || this.push(piece)) this.#credit.release();
  }

  finish(): void {
    this.#isComplete = true;
    if (!this.destroyed) this.push(null);
  }

  override _read(): void {
    this.#credit.release();
  }

  override _write(
    piece: Buffer,
    _encoding: BufferEncoding,
    callback: (error?: Error | null) => void,
  ): void {
    if (this.#sink && !this.#sink.destroyed) this.#sink.write(piece, 'latin1', callback);
    else callback();
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.#sink?.end();
    callback();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#credit.release();
    callback(error);
  }
}
