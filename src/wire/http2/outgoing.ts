import type { FieldLines } from '../../http/fields.ts';
import { DEFAULT_MAX_FRAME_SIZE, DEFAULT_WINDOW, Flag, MAX_WINDOW } from './frame.ts';
import type { Content, FrameOutput } from './frame-output.ts';
import type { Http2Stream, Waiting } from './stream.ts';

/** Bytes of frames that may wait to be taken before content has to wait for `pump`. */
const MAX_DIRECT = 64 * 1024;

/** Bytes of frames, with content that is not copied, from which on `pump` makes no more. */
const MAX_PUMPED = 1024 * 1024;

/** Receives what became of content that had to wait. */
export interface OutgoingSink<Owner> {
  /** Called when the trailers of a stream have their turn. */
  onTrailers(stream: Http2Stream<Owner>, trailers: FieldLines): void;
  /** Called when END_STREAM was sent with content. */
  onEndSent(stream: Http2Stream<Owner>): void;
  /** Called when all content that a stream was given has been sent. */
  onSent(stream: Http2Stream<Owner>): void;
}

/** Bytes of a DATA frame beside its content that flow control counts (RFC 9113 6.1). */
const overheadOf = ({ padding }: { readonly padding: number }): number =>
  padding === 0 ? 0 : 1 + padding;

/** Sends content as far as flow control allows (RFC 9113 5.2), a frame of each stream in turn. */
export class Outgoing<Owner> {
  readonly #sink: OutgoingSink<Owner>;
  readonly #output: FrameOutput;
  /** Streams with content that their own windows allow to send, in the order of their turns. */
  readonly #ready = new Set<Http2Stream<Owner>>();
  /** Bytes that the peer allows to send on the connection. */
  #window = DEFAULT_WINDOW;
  /** Bytes of content that waits, on all streams. */
  #waitingLength = 0;

  constructor(sink: OutgoingSink<Owner>, output: FrameOutput) {
    this.#sink = sink;
    this.#output = output;
  }

  get window(): number {
    return this.#window;
  }

  get waitingLength(): number {
    return this.#waitingLength;
  }

  /** Whether `pump` has something to send. */
  get isReady(): boolean {
    return this.#ready.size > 0 && this.#window > 0;
  }

  /** Sends content, or keeps it until it can be sent. @returns whether all was sent */
  send(stream: Http2Stream<Owner>, content: Content, isEnd: boolean): boolean {
    const { length } = content;
    if (stream.waiting) {
      // Nothing follows the end.
      if (stream.waiting.isEnd || stream.waiting.trailers) return false;
      if (length > 0) stream.waiting.pieces.push(content);
      this.#waitingLength += length;
      stream.waiting.isEnd = isEnd;
      return false;
    }
    if (length > 0 && !this.#fits(stream, length)) {
      this.#waitingLength += length;
      stream.waiting = { pieces: [content], sent: 0, isEnd, trailers: undefined };
      if (stream.window > 0) this.#ready.add(stream);
      return false;
    }
    if (length > 0 || isEnd) this.#frame(stream, content, 0, length, isEnd);
    return true;
  }

  /** Has trailers sent after the content that waits. @returns false if none does */
  queueTrailers(stream: Http2Stream<Owner>, trailers: FieldLines): boolean {
    if (!stream.waiting) return false;
    if (!stream.waiting.isEnd) stream.waiting.trailers ??= trailers;
    return true;
  }

  /** Drops what a stream has to send. */
  delete(stream: Http2Stream<Owner>): void {
    if (!stream.waiting) return;
    this.#waitingLength -= stream.unsent;
    stream.waiting = undefined;
    this.#ready.delete(stream);
  }

  /** Adds to the window of the connection. @returns false if it exceeds the maximum */
  grow(increment: number): boolean {
    this.#window += increment;
    return this.#window <= MAX_WINDOW;
  }

  /** Changes the window of a stream. @returns false if it exceeds the maximum */
  adjustWindow(stream: Http2Stream<Owner>, change: number): boolean {
    stream.window += change;
    if (stream.waiting) {
      if (stream.window > 0) this.#ready.add(stream);
      else this.#ready.delete(stream);
    }
    return stream.window <= MAX_WINDOW;
  }

  /** Sends what the windows allow, until at least so many copied bytes of frames wait to be taken. */
  pump(limit: number): void {
    if (!this.isReady) return;
    this.#output.expect(Math.min(this.#waitingLength, limit + DEFAULT_MAX_FRAME_SIZE));
    // A stream whose turn is over is visited again after the others.
    for (const stream of this.#ready) {
      const { copiedLength, length } = this.#output;
      if (this.#window <= 0 || copiedLength >= limit || length >= MAX_PUMPED) return;
      // Padding is not split: it waits for a window of either kind.
      if (this.#window <= overheadOf(stream)) continue;
      this.#ready.delete(stream);
      if (stream.waiting && stream.window > overheadOf(stream)) {
        this.#sendNext(stream, stream.waiting);
      }
    }
  }

  #fits(stream: Http2Stream<Owner>, length: number): boolean {
    const size = length + overheadOf(stream);
    return (
      size <= stream.window &&
      size <= this.#window &&
      size <= DEFAULT_MAX_FRAME_SIZE &&
      this.#output.copiedLength < MAX_DIRECT &&
      this.#ready.size === 0
    );
  }

  /** Sends one frame of the content that waits. */
  #sendNext(stream: Http2Stream<Owner>, waiting: Waiting): void {
    const { pieces, sent, isEnd, trailers } = waiting;
    const [piece = ''] = pieces;
    const most = Math.min(stream.window, this.#window, DEFAULT_MAX_FRAME_SIZE) - overheadOf(stream);
    const to = Math.min(piece.length, sent + most);
    const isLast = to === piece.length && pieces.length === 1;
    this.#waitingLength -= to - sent;
    if (isLast) stream.waiting = undefined;
    else if (to < piece.length) waiting.sent = to;
    else {
      pieces.shift();
      waiting.sent = 0;
    }
    this.#frame(stream, piece, sent, to, isLast && isEnd);
    if (!isLast) {
      if (stream.window > 0) this.#ready.add(stream);
      return;
    }
    if (trailers) this.#sink.onTrailers(stream, trailers);
    this.#sink.onSent(stream);
  }

  #frame(
    stream: Http2Stream<Owner>,
    content: Content,
    from: number,
    to: number,
    isEnd: boolean,
  ): void {
    const size = to - from + overheadOf(stream);
    stream.window -= size;
    this.#window -= size;
    const flags = isEnd ? Flag.endStream : 0;
    if (stream.padding === 0) this.#output.data(stream.id, flags, content, from, to);
    else this.#output.paddedData(stream.id, flags, content, from, to, stream.padding);
    if (isEnd) this.#sink.onEndSent(stream);
  }
}
