import type { Framing } from '../../wire/http1/framing.ts';
import {
  MessageReader,
  type ChunkLine,
  type MessageSink,
  type ReaderStop,
} from '../../wire/http1/message-reader.ts';
import type { PlainChunks } from '../../wire/http1/plain-chunks.ts';
import type { LineEnd } from '../../wire/http1/section.ts';
import type { RawText } from '../../wire/http1/text-buffer.ts';
import type { Http1Direction } from './direction.ts';
import type { Http1Limits } from './message.ts';

const TOO_LONG: Framing = {
  content: 'unknown',
  reason: 'the header section is longer than the reader reads',
};

/** Reads the direction that the connection itself does not read: the responses. */
export class DirectionReader implements MessageSink {
  readonly #direction: Http1Direction;
  readonly #framingOf: (head: string) => Framing;
  readonly #reader: MessageReader;
  #isStopped = false;

  /** @param framingOf called with each complete head */
  constructor(
    direction: Http1Direction,
    { section, bytes }: Http1Limits,
    framingOf: (head: string) => Framing,
  ) {
    this.#direction = direction;
    this.#framingOf = framingOf;
    this.#reader = new MessageReader(this, { section, incomplete: bytes, skipsEmptyLines: true });
    direction.readBy(this.#reader);
  }

  /** @param time in milliseconds */
  push(piece: Buffer, time: number): void {
    this.#direction.beginPiece(time);
    let at = 0;
    while (at < piece.length && !this.#isStopped) at = this.#reader.read(piece, at);
    if (this.#isStopped) this.#direction.onRest(piece, at);
    this.#direction.endPiece(piece.length);
  }

  /** Call at the end of the direction, which completes responses without a length (RFC 9112 6.3). */
  end(time: number): void {
    this.#direction.beginPiece(time);
    this.#reader.end();
  }

  get countsChunks(): boolean {
    return this.#direction.countsChunks;
  }

  onStart(at: number): void {
    this.#direction.onStart(at);
  }

  onHead(head: RawText): Framing {
    const framing = head.length > head.text.length ? TOO_LONG : this.#framingOf(head.text);
    this.#direction.onHead(head, framing);
    return framing;
  }

  onContent(piece: Buffer, start: number, end: number): void {
    this.#direction.onContent(piece, start, end);
  }

  onChunks(chunks: PlainChunks): void {
    this.#direction.onChunks(chunks);
  }

  onChunk(chunk: ChunkLine): void {
    this.#direction.onChunk(chunk);
  }

  onChunkEnd(end: LineEnd): void {
    this.#direction.onChunkEnd(end);
  }

  onTrailers(section: RawText, end: number): void {
    this.#direction.onTrailers(section, end);
  }

  onEnd(end: number): void {
    this.#direction.onEnd(end);
  }

  onStop(stop: ReaderStop): void {
    this.#isStopped = true;
    this.#direction.onStop(stop);
  }
}
