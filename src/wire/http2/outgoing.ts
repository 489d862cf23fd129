import type { FieldLines } from '../../http/fields.ts';
import { DEFAULT_MAX_FRAME_SIZE, DEFAULT_WINDOW, Flag, MAX_WINDOW } from './frame.ts';
import type { Content, FrameOutput } from './frame-output.ts';
import type { HpackEncoder } from './hpack-encoder.ts';
import type { Http2Stream, Waiting } from './stream.ts';
import { StreamEvent, StreamState } from './stream-state.ts';
import type { StreamTable } from './stream-table.ts';

/** Bytes of frames that may wait to be taken before content has to wait for `pump`. */
const MAX_DIRECT = 64 * 1024;

/** Bytes of frames, with content that is not copied, from which on `pump` makes no more. */
const MAX_PUMPED = 1024 * 1024;

/** A field section to send: fields with names in lower case, or a block that does not use the dynamic table. */
export type Section = FieldLines | Uint8Array;

/** What the streams of a connection send with. */
interface OutgoingParts<Owner> {
  /** `onSent` is called when content that had to wait has been sent. */
  readonly events: { onSent(stream: Http2Stream<Owner>): void };
  readonly output: FrameOutput;
  readonly encoder: HpackEncoder;
  readonly streams: StreamTable<Owner>;
}

/** Bytes of a DATA frame beside its content that flow control counts (RFC 9113 6.1). */
const overheadOf = ({ padding }: { readonly padding: number }): number =>
  padding === 0 ? 0 : 1 + padding;

/** Sends field sections, and content as far as flow control allows (RFC 9113 5.2), a frame of each stream in turn. */
export class Outgoing<Owner> {
  readonly #parts: OutgoingParts<Owner>;
  readonly #output: FrameOutput;
  /** Streams with content that their own windows allow to send, in the order of their turns. */
  readonly #ready = new Set<Http2Stream<Owner>>();
  /** Bytes that the peer allows to send on the connection. */
  #window = DEFAULT_WINDOW;
  /** Bytes of content that waits, on all streams. */
  #waitingLength = 0;

  constructor(parts: OutgoingParts<Owner>) {
    this.#parts = parts;
    this.#output = parts.output;
  }

  get window(): number {
    return this.#window;
  }

  get waitingLength(): number {
    return this.#waitingLength;
  }

  /** Sends a header section. @returns false if the stream is closed for sending */
  sendHeaders(stream: Http2Stream<Owner>, section: Section, isEnd: boolean): boolean {
    if (!stream.on(StreamEvent.sendHeaders)) return false;
    const { encoder } = this.#parts;
    const block = section instanceof Uint8Array ? section : encoder.encode(section);
    this.#output.block(stream.id, isEnd ? Flag.endStream : 0, block);
    if (isEnd) this.#end(stream);
    return true;
  }

  /** Sends content, or keeps it until it can be sent. @returns whether all was sent */
  send(stream: Http2Stream<Owner>, content: Content, isEnd: boolean): boolean {
    if (!stream.on(StreamEvent.sendData)) return false;
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

  /** Sends trailers, after the content that waits. */
  sendTrailers(stream: Http2Stream<Owner>, trailers: FieldLines): void {
    if (!stream.waiting) this.sendHeaders(stream, trailers, true);
    else if (!stream.waiting.isEnd) stream.waiting.trailers ??= trailers;
  }

  /** Sends nothing more on a stream, without telling the peer. */
  stop(stream: Http2Stream<Owner>): void {
    this.delete(stream);
    this.#end(stream);
  }

  #end(stream: Http2Stream<Owner>): void {
    stream.on(StreamEvent.sendEnd);
    if (stream.state === StreamState.closed) this.#parts.streams.remove(stream);
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
    if (this.#ready.size === 0 || this.#window <= 0) return;
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
    if (trailers) this.sendHeaders(stream, trailers, true);
    this.#parts.events.onSent(stream);
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
    if (isEnd) this.#end(stream);
  }
}
