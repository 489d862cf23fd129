import type { Framing } from '../../wire/http1/framing.ts';
import {
  MessageReader,
  type ChunkLine,
  type MessageSink,
  type ReaderStop,
} from '../../wire/http1/message-reader.ts';
import type { LineEnd } from '../../wire/http1/section.ts';
import { shortened, type RawText } from '../../wire/http1/text-buffer.ts';
import type { Draft, Http1Limits, RawMessage, Rest } from './message.ts';
import { CHUNK_COST, MessageStore, newDraft } from './message-store.ts';

/** Listens to the messages of one direction. */
export interface MessageListener {
  /** Called at the first byte of a message. */
  onStart(message: Draft): void;
  /** Called when the head of a message is complete, to determine its framing. */
  framingOf(message: Draft): Framing;
  /** Called after the last byte of a message. */
  onEnd(message: RawMessage): void;
}

/**
 * Keeps the messages of one direction of an HTTP/1.x connection as they were sent. If no next message can be found, it
 * keeps the reason, and counts the following bytes.
 */
export class Http1Direction implements MessageSink {
  readonly #limits: Http1Limits;
  readonly #listener: MessageListener;
  readonly #store: MessageStore;
  readonly #reader: MessageReader;
  /** Offset of the current piece from the beginning of the direction. */
  #offset = 0;
  /** Time of the current piece. */
  #time = 0;
  /** The newest message; before the first one, a draft that is not kept. */
  #message = newDraft(0, 0, 0);
  #rest: { -readonly [Key in keyof Rest]: Rest[Key] } | undefined;

  constructor(limits: Http1Limits, listener: MessageListener) {
    const { section, bytes } = limits;
    this.#limits = limits;
    this.#listener = listener;
    this.#store = new MessageStore(limits);
    this.#reader = new MessageReader(this, { section, incomplete: bytes, skipsEmptyLines: true });
  }

  /** The newest messages, oldest first. The last one may be incomplete. */
  get messages(): readonly RawMessage[] {
    this.#showIncomplete();
    return [...this.#store.all];
  }

  /** A message by number. @returns undefined if it does not exist, or is no longer kept */
  message(number: number): RawMessage | undefined {
    if (number === this.#store.count) this.#showIncomplete();
    return this.#store.get(number);
  }

  /** Number of messages that are no longer kept. */
  get leftOut(): number {
    return this.#store.leftOut;
  }

  /** Number of messages that have begun. */
  get count(): number {
    return this.#store.count;
  }

  /** Number of bytes that have been read. */
  get offset(): number {
    return this.#offset;
  }

  /** Estimated memory in bytes. */
  get bytesKept(): number {
    const { incomplete } = this.#reader;
    return this.#store.bytesKept + incomplete.text.length + (this.#rest?.text.length ?? 0);
  }

  /** The bytes after the last message that was found; undefined as long as messages are found. */
  get rest(): Rest | undefined {
    return this.#rest;
  }

  /** An incomplete chunk line, or empty lines after the last message. */
  get pending(): RawText {
    const { state, incomplete } = this.#reader;
    const isShown = state === 'head' || state === 'trailers';
    const { text, length } = incomplete;
    return isShown ? { text: '', length: 0 } : { text, length };
  }

  /** @param time in milliseconds */
  push(piece: Buffer, time: number): void {
    this.#time = time;
    let at = 0;
    while (at < piece.length && !this.#rest) at = this.#reader.read(piece, at);
    if (this.#rest) this.#skip(this.#rest, piece, at);
    this.#offset += piece.length;
  }

  /** Call at the end of the direction, which completes responses without a length (RFC 9112 6.3). */
  end(time: number): void {
    this.#time = time;
    this.#reader.end();
  }

  /** Whether the next chunk is only counted: the first chunks of a message are kept. */
  get countsChunks(): boolean {
    const { chunks, chunkCount } = this.#message;
    return (
      chunks.length !== chunkCount || chunks.length >= this.#limits.chunks || !this.#store.hasRoom
    );
  }

  onStart(at: number): void {
    this.#message = this.#store.add(this.#offset + at, this.#time);
    this.#listener.onStart(this.#message);
  }

  onHead(head: RawText): Framing {
    const message = this.#message;
    message.headComplete = true;
    message.headTime = this.#time;
    message.head = head;
    const isTooLong = head.length > head.text.length;
    const framing = isTooLong ? TOO_LONG : this.#listener.framingOf(message);
    if (!isTooLong) message.framing = framing;
    const { text, length } = message.head;
    if (text.length > this.#keptSection) message.head = { text: this.#shortened(text), length };
    this.#store.grown(message.head.text.length);
    return framing;
  }

  onContent(_piece: Buffer, start: number, end: number): void {
    this.#message.contentLength += end - start;
  }

  onChunks(count: number, length: number): void {
    this.#message.chunkCount += count;
    this.#message.contentLength += length;
  }

  onChunk({ size, line, digits, start }: ChunkLine): void {
    const message = this.#message;
    const isKept = !this.countsChunks;
    message.chunkCount++;
    if (!isKept) return;
    const lineEnd: LineEnd = line.endsWith('\r\n') ? 'crlf' : 'lf';
    const length = line.length - (lineEnd === 'crlf' ? 2 : 1);
    const text = shortened(line.slice(0, length), this.#limits.keptSection);
    message.chunks.push({
      offset: this.#offset + start - message.offset,
      line: text,
      lineLeftOut: length - text.length,
      lineEnd,
      size,
      extension: text.slice(digits),
      dataEnd: 'none',
    });
    this.#store.grown(text.length + CHUNK_COST);
  }

  onChunkEnd(end: LineEnd): void {
    const { chunks, chunkCount } = this.#message;
    const chunk = chunkCount === chunks.length ? chunks.at(-1) : undefined;
    if (chunk) chunk.dataEnd = end;
  }

  onTrailers({ text, length }: RawText, end: number): void {
    const message = this.#message;
    const offset = this.#offset + end - length - message.offset;
    message.trailers = { text: this.#shortened(text), length, offset };
    this.#store.grown(message.trailers.text.length);
  }

  onEnd(end: number): void {
    const message = this.#message;
    message.length = this.#offset + end - message.offset;
    message.endTime = this.#time;
    this.#listener.onEnd(message);
  }

  onStop({ kind, reason, at, text, length }: ReaderStop): void {
    const kept = shortened(text, this.#limits.rest);
    this.#rest = { offset: this.#offset + at, kind, reason, text: kept, length };
  }

  #skip(rest: { text: string; length: number }, piece: Buffer, at: number): void {
    const room = this.#limits.rest - rest.text.length;
    if (room > 0) rest.text += piece.toString('latin1', at, Math.min(piece.length, at + room));
    rest.length += piece.length - at;
  }

  /** Bytes kept of a header or trailer section. */
  get #keptSection(): number {
    return Math.min(this.#limits.keptSection, this.#limits.bytes);
  }

  #shortened(section: string): string {
    return shortened(section, this.#keptSection);
  }

  /** Updates the newest message with the head or trailers that are still incomplete. */
  #showIncomplete(): void {
    const message = this.#message;
    const { state, incomplete } = this.#reader;
    const { length } = incomplete;
    const text = (): string => this.#shortened(incomplete.text);
    if (state === 'head') message.head = { text: text(), length };
    if (state === 'trailers') {
      message.trailers = { text: text(), length, offset: this.#offset - length - message.offset };
    }
  }
}

const TOO_LONG: Framing = {
  content: 'unknown',
  reason: 'the header section is longer than the reader reads',
};
