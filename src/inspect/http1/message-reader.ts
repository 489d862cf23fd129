import { BlankLines } from './blank-lines.ts';
import type { Framing } from './framing.ts';
import type { Draft, Http1Limits, RawMessage, RawText, Rest } from './message.ts';
import { CHUNK_COST, MessageStore } from './message-store.ts';
import { plainChunks } from './plain-chunks.ts';
import type { LineEnd } from './section.ts';
import { shortened, TextBuffer } from './text-buffer.ts';

/** Called by the reader of one direction. */
export interface MessageListener {
  /** Called at the first byte of a message. */
  onStart(message: Draft): void;
  /** Called when its head is complete. */
  framingOf(message: Draft): Framing;
  /** Called after its last byte. */
  onEnd(message: RawMessage): void;
}

type State =
  | 'between'
  | 'head'
  | 'length'
  | 'until-close'
  | 'chunk-size'
  | 'chunk-data'
  | 'chunk-end'
  | 'trailers'
  | 'rest';

const CR = 0x0d;
const LF = 0x0a;
const CHUNK_LINE = /^([0-9a-f]+)[ \t]*(?:;.*)?\r?\n$/is;

/**
 * Reads the messages of one direction of an HTTP/1.x connection from pieces of any size. Does not validate
 * them. Where it cannot find the next message, it keeps the reason, and counts the bytes that follow.
 */
export class MessageReader {
  readonly #limits: Http1Limits;
  readonly #listener: MessageListener;
  readonly #blankLines = new BlankLines();
  readonly #store: MessageStore;
  /** The section or line that is being read, up to the limit. */
  readonly #text = new TextBuffer();
  #state: State = 'between';
  /** Of the piece, from the first byte of the direction. */
  #offset = 0;
  #message: Draft | undefined;
  /** Bytes of content or of the chunk that are still to come. */
  #remaining = 0;
  #rest: { -readonly [Key in keyof Rest]: Rest[Key] } | undefined;

  constructor(limits: Http1Limits, listener: MessageListener) {
    this.#limits = limits;
    this.#listener = listener;
    this.#store = new MessageStore(limits);
  }

  /** The newest messages, in order; the last may be incomplete. */
  get messages(): readonly RawMessage[] {
    this.#showIncomplete();
    return [...this.#store.all];
  }

  /** @returns undefined if there is no such message, or it is no longer kept */
  message(number: number): RawMessage | undefined {
    if (number === this.#store.count) this.#showIncomplete();
    return this.#store.get(number);
  }

  /** Messages that are no longer kept. */
  get leftOut(): number {
    return this.#store.leftOut;
  }

  /** All messages that have begun. */
  get count(): number {
    return this.#store.count;
  }

  /** Bytes that have been read. */
  get offset(): number {
    return this.#offset;
  }

  /** Memory that is held, in bytes. */
  get bytesKept(): number {
    return this.#store.bytesKept + this.#text.text.length + (this.#rest?.text.length ?? 0);
  }

  /** Undefined while the reader finds messages. */
  get rest(): Rest | undefined {
    return this.#rest;
  }

  /** An incomplete chunk line, or empty lines after the last message. */
  get pending(): RawText {
    const isShown = this.#state === 'head' || this.#state === 'trailers';
    const { text, length } = this.#text;
    return isShown ? { text: '', length: 0 } : { text, length };
  }

  /** @param time in milliseconds */
  push(piece: Buffer, time: number): void {
    this.#blankLines.newPiece();
    let at = 0;
    while (at < piece.length) at = this.#read(piece, at, time);
    this.#offset += piece.length;
  }

  /** Call at the end of the direction, which ends some responses (RFC 9112 6.3). */
  end(time: number): void {
    if (this.#state === 'until-close' && this.#message) this.#finish(this.#message, 0, time);
  }

  /** Reads a part of the piece. Returns where the next part begins. */
  #read(piece: Buffer, at: number, time: number): number {
    const message = this.#message;
    if (!message)
      return this.#state === 'rest' ? this.#skip(piece, at) : this.#between(piece, at, time);
    switch (this.#state) {
      case 'head':
        return this.#head(message, piece, at, time);
      case 'length':
      case 'chunk-data':
        return this.#content(message, piece, at, time);
      case 'until-close':
        message.contentLength += piece.length - at;
        return piece.length;
      case 'chunk-size':
        return this.#chunkSize(message, piece, this.#skipChunks(message, piece, at));
      case 'chunk-end':
        return this.#chunkEnd(message, piece, at);
      case 'trailers':
        return this.#trailers(message, piece, at, time);
      case 'between':
      case 'rest':
        return this.#skip(piece, at);
    }
  }

  #between(piece: Buffer, from: number, time: number): number {
    let at = from;
    while (piece[at] === CR || piece[at] === LF) at++;
    this.#append(piece, from, at);
    if (at === piece.length) return at;
    this.#start(this.#offset + at - this.#text.length, time);
    return at;
  }

  #start(offset: number, time: number): void {
    const message = this.#store.add(offset, time);
    this.#message = message;
    this.#state = 'head';
    this.#blankLines.newSection('in-line');
    this.#listener.onStart(message);
  }

  #head(message: Draft, piece: Buffer, at: number, time: number): number {
    const end = this.#section(piece, at);
    if (end === -1) return piece.length;
    message.headComplete = true;
    message.headTime = time;
    const { text, length } = this.#text;
    message.head = { text, length };
    if (length > text.length) {
      this.#keepHead(message);
      this.#startRest(end, 'confused', 'the header section is longer than the reader reads');
      return end;
    }
    const framing = this.#listener.framingOf(message);
    message.framing = framing;
    this.#keepHead(message);
    this.#begin(message, framing, end, time);
    return end;
  }

  #begin(message: Draft, framing: Framing, end: number, time: number): void {
    switch (framing.content) {
      case 'none':
        this.#finish(message, end, time);
        return;
      case 'length':
        this.#remaining = framing.length;
        this.#state = 'length';
        if (framing.length === 0) this.#finish(message, end, time);
        return;
      case 'chunked':
      case 'until-close':
        this.#state = framing.content === 'chunked' ? 'chunk-size' : 'until-close';
        return;
      case 'unknown':
        this.#startRest(end, 'confused', framing.reason);
    }
  }

  #content(message: Draft, piece: Buffer, at: number, time: number): number {
    const end = Math.min(piece.length, at + this.#remaining);
    message.contentLength += end - at;
    this.#remaining -= end - at;
    if (this.#remaining > 0) return end;
    if (this.#state === 'length') this.#finish(message, end, time);
    else this.#state = 'chunk-end';
    return end;
  }

  /** Counts chunks that are not kept. Returns where the next chunk line begins. */
  #skipChunks(message: Draft, piece: Buffer, at: number): number {
    if (this.#text.length > 0 || this.#keepsChunks(message)) return at;
    const { chunks, content, end } = plainChunks(piece, at);
    message.chunkCount += chunks;
    message.contentLength += content;
    return end;
  }

  /** Whether the next chunk is kept: only the first ones are. */
  #keepsChunks({ chunks, chunkCount }: Draft): boolean {
    return (
      chunks.length === chunkCount && chunks.length < this.#limits.chunks && this.#store.hasRoom
    );
  }

  #chunkSize(message: Draft, piece: Buffer, from: number): number {
    const end = piece.indexOf(LF, from) + 1;
    this.#append(piece, from, end === 0 ? piece.length : end);
    if (end === 0) return piece.length;
    const { line, length } = this.#takeLine();
    const [, digits = ''] = CHUNK_LINE.exec(line) ?? [];
    const size = Number.parseInt(digits, 16);
    if (!Number.isSafeInteger(size)) {
      // The line is shown with what follows.
      const at = end - length;
      this.#startRest(at, 'confused', 'a chunk has no valid size', line, length);
      return end;
    }
    const offset = this.#offset + end - length - message.offset;
    this.#keepChunk(message, line, offset, digits.length);
    this.#remaining = size;
    this.#state = size === 0 ? 'trailers' : 'chunk-data';
    if (size === 0) this.#blankLines.newSection('line-start');
    return end;
  }

  /** @param digits the length of the size in the line */
  #keepChunk(message: Draft, line: string, offset: number, digits: number): void {
    const isKept = this.#keepsChunks(message);
    message.chunkCount++;
    if (!isKept) return;
    const lineEnd: LineEnd = line.endsWith('\r\n') ? 'crlf' : 'lf';
    const length = line.length - (lineEnd === 'crlf' ? 2 : 1);
    const text = shortened(line.slice(0, length), this.#limits.keptSection);
    message.chunks.push({
      offset,
      line: text,
      lineLeftOut: length - text.length,
      lineEnd,
      size: Number.parseInt(line, 16),
      extension: text.slice(digits),
      dataEnd: 'none',
    });
    this.#store.grown(text.length + CHUNK_COST);
  }

  #chunkEnd(message: Draft, piece: Buffer, at: number): number {
    const byte = piece[at];
    if (byte === CR && this.#text.length === 0) {
      this.#append(piece, at, at + 1);
      return at + 1;
    }
    if (byte !== LF) {
      const { line, length } = this.#takeLine();
      const reason = 'no line end after the data of a chunk';
      this.#startRest(at - length, 'confused', reason, line, length);
      return at;
    }
    const chunk = message.chunkCount === message.chunks.length ? message.chunks.at(-1) : undefined;
    if (chunk) chunk.dataEnd = this.#text.length === 1 ? 'crlf' : 'lf';
    this.#text.clear();
    this.#state = 'chunk-size';
    return at + 1;
  }

  #trailers(message: Draft, piece: Buffer, at: number, time: number): number {
    const end = this.#section(piece, at);
    if (end === -1) return piece.length;
    this.#keepTrailers(message, this.#offset + end);
    this.#finish(message, end, time);
    return end;
  }

  /** Reads on in a section. Returns where it ends; -1 if not in this piece. */
  #section(piece: Buffer, at: number): number {
    const end = this.#blankLines.end(piece, at);
    const { section, bytes } = this.#limits;
    // A section that ends in its first piece takes no memory while it is read.
    if (end !== -1 && this.#text.length === 0) this.#append(piece, at, end, section);
    else this.#append(piece, at, end === -1 ? piece.length : end, Math.min(section, bytes));
    return end;
  }

  /** Bytes kept of a section. */
  get #keptSection(): number {
    return Math.min(this.#limits.keptSection, this.#limits.bytes);
  }

  #append(piece: Buffer, at: number, end: number, limit = this.#limits.section): void {
    this.#text.append(piece, at, end, limit);
  }

  #takeLine(): { readonly line: string; readonly length: number } {
    const { text: line, length } = this.#text;
    this.#text.clear();
    return { line, length };
  }

  #keepHead(message: Draft): void {
    const { text, length } = message.head;
    const keptSection = this.#keptSection;
    if (text.length > keptSection) message.head = { text: shortened(text, keptSection), length };
    this.#store.grown(message.head.text.length);
    this.#text.clear();
  }

  /** The head or trailers that are being read. */
  #showIncomplete(): void {
    const message = this.#message;
    const { length } = this.#text;
    const text = (): string => shortened(this.#text.text, this.#keptSection);
    if (message && this.#state === 'head') message.head = { text: text(), length };
    if (message && this.#state === 'trailers') {
      message.trailers = { text: text(), length, offset: this.#offset - length - message.offset };
    }
  }

  /** @param end of the section, from the first byte of the direction */
  #keepTrailers(message: Draft, end: number): void {
    const { line, length } = this.#takeLine();
    const text = shortened(line, this.#keptSection);
    message.trailers = { text, length, offset: end - length - message.offset };
    this.#store.grown(text.length);
  }

  /** @param at in the piece */
  #finish(message: Draft, at: number, time: number): void {
    message.length = this.#offset + at - message.offset;
    message.endTime = time;
    this.#message = undefined;
    this.#state = 'between';
    const { framing } = message;
    if (framing && framing.content !== 'unknown' && framing.after !== 'message') {
      this.#startRest(at, framing.after);
    }
    this.#listener.onEnd(message);
  }

  /** @param read bytes already read that belong to the rest, which has `length` of them */
  #startRest(at: number, kind: Rest['kind'], reason?: string, read = '', length = 0): void {
    this.#message = undefined;
    this.#state = 'rest';
    const text = shortened(read, this.#limits.rest);
    this.#rest = { offset: this.#offset + at, kind, reason, text, length };
  }

  #skip(piece: Buffer, at: number): number {
    const rest = this.#rest;
    if (rest) {
      const room = this.#limits.rest - rest.text.length;
      if (room > 0) rest.text += piece.toString('latin1', at, Math.min(piece.length, at + room));
      rest.length += piece.length - at;
    }
    return piece.length;
  }
}
