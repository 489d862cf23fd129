import { BlankLines } from '../../wire/http1/blank-lines.ts';
import type { Framing } from '../../wire/http1/framing.ts';
import { startLineOffset } from '../../wire/http1/start-line.ts';
import type { RequestTap } from '../../net/inspector.ts';
import type { ChunkLine, MessageReader, ReaderStop } from '../../wire/http1/message-reader.ts';
import type { PlainChunks } from '../../wire/http1/plain-chunks.ts';
import type { LineEnd } from '../../wire/http1/section.ts';
import { shortened, type RawText } from '../../wire/http1/text-buffer.ts';
import { Draft, type Http1Limits, type RawMessage, type Rest } from './message.ts';
import { CHUNK_COST, MessageStore } from './message-store.ts';

/** Receives events of the messages in one direction. */
export interface MessageListener {
  /** Called at the first byte of a message. */
  onStart(message: Draft): void;
  /** Called when the head of a message is complete. */
  onHead?(message: Draft): void;
  /** Called after the last byte of a message. */
  onEnd?(message: RawMessage): void;
}

type MutableRest = { -readonly [Key in keyof Rest]: Rest[Key] };

type Source = Pick<MessageReader, 'state' | 'incomplete'>;

const NOT_READ: Source = { state: 'between', incomplete: { text: '', length: 0 } };

/**
 * Keeps the messages of one direction of an HTTP/1.x connection as they were sent. Once no further message is read, it
 * keeps the reason, and counts the bytes that follow.
 */
export class Http1Direction implements RequestTap {
  readonly #limits: Http1Limits;
  readonly #listener: MessageListener;
  readonly #store: Readonly<MessageStore>;
  #source = NOT_READ;
  /** Number of bytes that have been read; offset of the current piece from the beginning of the direction. */
  offset = 0;
  /** Time of the current piece. */
  #time = 0;
  /** The newest message; before the first one, a draft that is not kept. */
  #message = new Draft(0, 0, 0);
  /** The bytes after the last message that was found; undefined while messages are still found. */
  rest: MutableRest | undefined;
  /** Looks for the end of the newest head, which was refused before it was complete. */
  #refusedHead: BlankLines | undefined;

  constructor(limits: Http1Limits, listener: MessageListener) {
    this.#limits = limits;
    this.#listener = listener;
    this.#store = new MessageStore(limits);
  }

  readBy(source: Source): void {
    this.#source = source;
  }

  /** Drops the reader, which would retain its connection. Call when nothing more is read. */
  release(): void {
    const { state, incomplete } = this.#source;
    const { text, length } = incomplete;
    this.#source = { state, incomplete: { text, length } };
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

  /** Estimated memory in bytes. */
  get bytesKept(): number {
    const { incomplete } = this.#source;
    return this.#store.bytesKept + incomplete.text.length + (this.rest?.text.length ?? 0);
  }

  /** An incomplete chunk line, or empty lines after the last message. */
  get pending(): RawText {
    const { state, incomplete } = this.#source;
    const isShown = state === 'head' || state === 'trailers';
    const { text, length } = incomplete;
    return isShown ? { text: '', length: 0 } : { text, length };
  }

  beginPiece(time: number): void {
    this.#time = time;
  }

  endPiece(length: number): void {
    this.offset += length;
  }

  /** Whether the next chunk is only counted. The first chunks of a message are kept. */
  get countsChunks(): boolean {
    const { chunks, chunkCount } = this.#message;
    return (
      chunks.length !== chunkCount || chunks.length >= this.#limits.chunks || !this.#store.hasRoom
    );
  }

  onStart(at: number): void {
    this.#message = this.#store.add(this.offset + at, this.#time);
    this.#listener.onStart(this.#message);
  }

  onFramedHead(head: RawText, framing: Framing): void {
    const message = this.#message;
    message.headComplete = true;
    message.headTime = this.#time;
    message.head = head;
    message.framing = framing;
    this.#listener.onHead?.(message);
    const { text, length } = message.head;
    if (text.length > this.#keptSection) message.head = { text: this.#shortened(text), length };
    this.#store.grown(message.head.text.length);
  }

  onContent(_piece: Buffer, start: number, end: number): void {
    this.#message.contentLength += end - start;
  }

  onChunks({ count, length }: PlainChunks): void {
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
      offset: this.offset + start - message.offset,
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
    const offset = this.offset + end - length - message.offset;
    message.trailers = { text: this.#shortened(text), length, offset };
    this.#store.grown(message.trailers.text.length);
  }

  onEnd(end: number): void {
    const message = this.#message;
    message.length = this.offset + end - message.offset;
    message.endTime = this.#time;
    this.#listener.onEnd?.(message);
  }

  onStop({ kind, reason, at, byte, text, length }: ReaderStop): void {
    this.#showIncomplete();
    const kept = shortened(text, this.#limits.rest);
    const base = this.offset;
    this.rest = { offset: base + at, byte: base + byte, kind, reason, text: kept, length };
    if (kind === 'confused') this.#beginRefusedHead();
  }

  onRest(piece: Buffer, at: number): void {
    const rest = this.rest;
    if (!rest) return;
    const from = this.#refusedHead ? this.#continueHead(this.#refusedHead, rest, piece, at) : at;
    const room = this.#limits.rest - rest.text.length;
    if (room > 0) rest.text += piece.toString('latin1', from, Math.min(piece.length, from + room));
    rest.length += piece.length - from;
  }

  /** Starts looking for the end of the newest head, if it was refused before it was complete. */
  #beginRefusedHead(): void {
    const { head, headComplete } = this.#message;
    if (headComplete || this.#store.count === 0) return;
    this.#store.grown(head.text.length);
    this.#refusedHead = new BlankLines();
    const sent = Buffer.from(head.text, 'latin1');
    this.#refusedHead.end(sent, startLineOffset(head.text));
  }

  /** Adds bytes to a refused head. @returns offset after the bytes that belong to it */
  #continueHead(blank: BlankLines, rest: MutableRest, piece: Buffer, at: number): number {
    const message = this.#message;
    blank.newPiece();
    const found = blank.end(piece, at);
    const end = found === -1 ? piece.length : found;
    const { text, length } = message.head;
    const room = Math.max(0, this.#keptSection - text.length);
    const added = piece.toString('latin1', at, Math.min(end, at + room));
    message.head = { text: text + added, length: length + end - at };
    this.#store.grown(added.length);
    rest.offset += end - at;
    if (found === -1) return end;
    this.#refusedHead = undefined;
    message.headComplete = true;
    message.headTime = this.#time;
    message.framing = { content: 'unknown', reason: rest.reason ?? '' };
    this.#listener.onHead?.(message);
    return end;
  }

  /** Maximum bytes kept of a header or trailer section. */
  get #keptSection(): number {
    return Math.min(this.#limits.keptSection, this.#limits.bytes);
  }

  #shortened(section: string): string {
    return shortened(section, this.#keptSection);
  }

  /** Updates the newest message with the head or trailers that are still incomplete. */
  #showIncomplete(): void {
    const message = this.#message;
    const { state, incomplete } = this.#source;
    const { length } = incomplete;
    if (length === 0) return;
    const text = (): string => this.#shortened(incomplete.text);
    if (state === 'head' && !message.headComplete) message.head = { text: text(), length };
    if (state === 'trailers') {
      message.trailers = { text: text(), length, offset: this.offset - length - message.offset };
    }
  }
}
