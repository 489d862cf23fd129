import { Duplex, Readable } from 'node:stream';
import type { FieldLines } from '../../http/fields.ts';
import type { ResponseSink } from './response-sink.ts';

const NO_TRAILERS: FieldLines = [];

/** Returns the flow-control credit of content that was read. @param bytes number of them */
type ReturnCredit = (bytes: number) => void;

const NOTHING: Buffer = Buffer.alloc(0);
/** Bytes of the memory for content that arrives before it is read; doubled as often as needed. */
const INITIAL_SIZE = 1024;

/** Passes content on to a stream as it is read, and returns its credit afterwards. */
class Arrivals {
  readonly #stream: Readable;
  readonly #return: ReturnCredit;
  /** Whether the stream has passed on all that it was given. */
  #isWanted = true;
  /** Bytes that the stream was given and has not passed on. */
  #given = 0;
  /** What has arrived since, without gaps: frames of one byte would take a hundred times their size as pieces. */
  #kept = NOTHING;
  #length = 0;

  constructor(stream: Readable, returnCredit: ReturnCredit) {
    this.#stream = stream;
    this.#return = returnCredit;
  }

  add(piece: Buffer): void {
    if (this.#stream.destroyed) this.#return(piece.length);
    else if (this.#isWanted) this.#give(piece);
    else this.#keep(piece);
  }

  /** Call when the stream has passed on all that it was given. */
  read(): void {
    this.#isWanted = true;
    this.#release();
    this.#giveKept();
  }

  /** Call when all of the content has arrived. */
  end(): void {
    if (this.#stream.destroyed) return;
    this.#giveKept();
    this.#stream.push(null);
  }

  /** Returns the credit of all that will not be read. */
  drop(): void {
    this.#given += this.#length;
    this.#kept = NOTHING;
    this.#length = 0;
    this.#release();
  }

  #give(piece: Buffer): void {
    this.#given += piece.length;
    this.#isWanted = this.#stream.push(piece);
    if (this.#isWanted) this.#release();
  }

  #keep(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (length > this.#kept.length) {
      const size = Math.max(length, 2 * this.#kept.length, INITIAL_SIZE);
      const larger = Buffer.allocUnsafeSlow(size);
      this.#kept.copy(larger, 0, 0, this.#length);
      this.#kept = larger;
    }
    this.#kept.set(piece, this.#length);
    this.#length = length;
  }

  #giveKept(): void {
    if (this.#length === 0) return;
    const kept = this.#kept.subarray(0, this.#length);
    this.#kept = NOTHING;
    this.#length = 0;
    this.#give(kept);
  }

  #release(): void {
    const given = this.#given;
    this.#given = 0;
    if (given > 0) this.#return(given);
  }
}

/** The content of a request (RFC 9113 8.1), as a stream. Credit is returned once it was read (5.2). */
export class Content extends Readable {
  readonly #arrivals: Arrivals;
  /** The trailers (RFC 9110 6.5); empty until the content is complete. */
  trailers = NO_TRAILERS;
  isComplete = false;

  constructor(returnCredit: ReturnCredit) {
    // A buffer that is not empty has not been read.
    super({ highWaterMark: 1 });
    this.#arrivals = new Arrivals(this, returnCredit);
  }

  add(piece: Buffer): void {
    this.#arrivals.add(piece);
  }

  /** Call when all of the content has arrived. */
  finish(trailers: FieldLines): void {
    this.isComplete = true;
    this.trailers = trailers;
    this.#arrivals.end();
  }

  override _read(): void {
    this.#arrivals.read();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#arrivals.drop();
    callback(error);
  }
}

/** Both directions of a CONNECT request, which may become a tunnel (RFC 9113 8.5, RFC 8441). */
export class Tunnel extends Duplex {
  readonly trailers = NO_TRAILERS;
  isComplete = false;
  readonly #arrivals: Arrivals;
  #sink: ResponseSink | undefined;

  constructor(returnCredit: ReturnCredit) {
    super({ readableHighWaterMark: 1, autoDestroy: false });
    this.#arrivals = new Arrivals(this, returnCredit);
  }

  /** Call when the response has begun, before anything is written. */
  sendTo(sink: ResponseSink): void {
    this.#sink = sink;
  }

  add(piece: Buffer): void {
    this.#arrivals.add(piece);
  }

  finish(): void {
    this.isComplete = true;
    this.#arrivals.end();
  }

  override _read(): void {
    this.#arrivals.read();
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
    this.#arrivals.drop();
    callback(error);
  }
}
