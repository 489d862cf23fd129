import { BlankLines } from './blank-lines.ts';
import type { AfterMessage, Framing } from './framing.ts';
import { plainChunks } from './plain-chunks.ts';
import type { LineEnd } from './section.ts';
import { TextBuffer, type RawText } from './text-buffer.ts';

/**
 * Told by a `MessageReader` what it has read. Offsets are in the piece that is being read; what began in an earlier
 * piece has a negative one.
 */
export interface MessageSink {
  /** Whether only the number and size of chunks matter, if their lines have no more than a size. */
  readonly countsChunks: boolean;
  /** Called at the first byte of a message, or of the empty lines before it. */
  onStart?(at: number): void;
  /**
   * Called when a head is complete. It is the empty lines before it, start line, fields and the empty line after them.
   *
   * @param head longer than its text if it is above the limit
   * @returns how its content is delimited; `unknown` stops the reader
   */
  onHead(head: RawText): Framing;
  onContent(piece: Buffer, start: number, end: number): void;
  /** Called instead of all others for chunks that are only counted. @param length bytes of their data */
  onChunks?(count: number, length: number): void;
  /** Called after a chunk line, that of the last chunk included. */
  onChunk?(chunk: ChunkLine): void;
  /** Called after the data of a chunk, with how they end. */
  onChunkEnd?(end: LineEnd): void;
  /** Called after the last chunk, with the empty line that ends the trailer section. */
  onTrailers?(section: RawText, end: number): void;
  /** Called after the last byte of a message. */
  onEnd(end: number): void;
  /** Called where no further message can be found. */
  onStop(stop: ReaderStop): void;
}

/** A chunk line as sent (RFC 9112 7.1). */
export interface ChunkLine {
  readonly size: number;
  /** In latin1, with its line end. */
  readonly line: string;
  /** Characters of the size in the line. */
  readonly digits: number;
  readonly start: number;
}

/** Why a reader has stopped, and where. */
export interface ReaderStop extends RawText {
  /** `confused` if no message could be found; otherwise another protocol is expected there. */
  readonly kind: 'confused' | Exclude<AfterMessage, 'message'>;
  readonly reason: string | undefined;
  /** Where its text begins: bytes that have been read, but belong to no message. */
  readonly at: number;
}

export interface ReaderLimits {
  /** Bytes in a section or line. Those beyond are counted only. */
  readonly section: number;
  /** Bytes of a section that are kept while it is incomplete; `section` if not given. */
  readonly incomplete?: number;
  /** Whether empty lines before a message are no part of its header section (RFC 9112 2.2). */
  readonly skipsEmptyLines: boolean;
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
  | 'stopped';

const CR = 0x0d;
const LF = 0x0a;
const CHUNK_LINE = /^([0-9a-f]+)[ \t]*(?:;.*)?\r?\n$/is;

/**
 * Reads the messages of one direction of an HTTP/1.x connection from pieces of any size (RFC 9112). Finds where
 * messages and chunks begin and end, and validates nothing else.
 */
export class MessageReader {
  readonly #sink: MessageSink;
  readonly #limits: ReaderLimits;
  readonly #blankLines = new BlankLines();
  /** The section or line that is being read, up to the limit. */
  readonly #text = new TextBuffer();
  #state: State = 'between';
  #after: AfterMessage = 'message';
  /** Bytes of content or of the chunk that are still to come. */
  #remaining = 0;

  constructor(sink: MessageSink, limits: ReaderLimits) {
    this.#sink = sink;
    this.#limits = limits;
  }

  get state(): State {
    return this.#state;
  }

  /** The section or line that is not complete yet, or empty lines after the last message. */
  get incomplete(): RawText {
    return this.#text;
  }

  /** Reads from an offset to the end of a message or of the piece. @returns where that is */
  read(piece: Buffer, from: number): number {
    if (from === 0) this.#blankLines.newPiece();
    let at = from;
    do at = this.#readPart(piece, at);
    while (at < piece.length && this.#state !== 'between' && this.#state !== 'stopped');
    return at;
  }

  /** Call at the end of the direction, which ends some responses (RFC 9112 6.3). */
  end(): void {
    if (this.#state === 'until-close') this.#finish(0);
  }

  /** Reads nothing any more. */
  stop(): void {
    this.#state = 'stopped';
  }

  /** @returns where the next part begins */
  #readPart(piece: Buffer, at: number): number {
    switch (this.#state) {
      case 'between':
        return this.#readBetween(piece, at);
      case 'head':
        return this.#readHead(piece, at);
      case 'length':
      case 'chunk-data':
        return this.#readContent(piece, at);
      case 'until-close':
        this.#sink.onContent(piece, at, piece.length);
        return piece.length;
      case 'chunk-size':
        return this.#readChunkLine(piece, this.#countChunks(piece, at));
      case 'chunk-end':
        return this.#readChunkEnd(piece, at);
      case 'trailers':
        return this.#readTrailers(piece, at);
      case 'stopped':
        return at;
    }
  }

  #readBetween(piece: Buffer, from: number): number {
    let at = from;
    if (this.#limits.skipsEmptyLines) {
      while (piece[at] === CR || piece[at] === LF) at++;
      this.#append(piece, from, at);
      if (at === piece.length) return at;
    }
    this.#state = 'head';
    this.#blankLines.newSection('in-line');
    this.#sink.onStart?.(at - this.#text.length);
    return at;
  }

  #readHead(piece: Buffer, at: number): number {
    const end = this.#readSection(piece, at);
    if (end === -1) return piece.length;
    const framing = this.#sink.onHead(this.#takeText());
    if (framing.content === 'unknown') {
      this.#stop('confused', end, framing.reason);
      return end;
    }
    this.#after = framing.after;
    this.#remaining = framing.content === 'length' ? framing.length : 0;
    if (framing.content === 'chunked') this.#state = 'chunk-size';
    else if (framing.content === 'until-close') this.#state = 'until-close';
    else if (this.#remaining > 0) this.#state = 'length';
    else this.#finish(end);
    return end;
  }

  #readContent(piece: Buffer, at: number): number {
    const end = Math.min(piece.length, at + this.#remaining);
    this.#remaining -= end - at;
    this.#sink.onContent(piece, at, end);
    if (this.#remaining > 0) return end;
    if (this.#state === 'length') this.#finish(end);
    else if (this.#state === 'chunk-data') this.#state = 'chunk-end';
    return end;
  }

  /** @returns where the next chunk line begins that is not only counted */
  #countChunks(piece: Buffer, at: number): number {
    if (!this.#sink.countsChunks || this.#text.length > 0) return at;
    const { chunks, content, end } = plainChunks(piece, at);
    if (chunks > 0) this.#sink.onChunks?.(chunks, content);
    return end;
  }

  #readChunkLine(piece: Buffer, from: number): number {
    const end = piece.indexOf(LF, from) + 1;
    this.#append(piece, from, end === 0 ? piece.length : end);
    if (end === 0) return piece.length;
    const { text: line, length } = this.#takeText();
    const [, digits = ''] = CHUNK_LINE.exec(line) ?? [];
    const size = Number.parseInt(digits, 16);
    if (!Number.isSafeInteger(size)) {
      this.#stop('confused', end - length, 'a chunk has no valid size', { text: line, length });
      return end;
    }
    this.#remaining = size;
    this.#state = size === 0 ? 'trailers' : 'chunk-data';
    if (size === 0) this.#blankLines.newSection('line-start');
    this.#sink.onChunk?.({ size, line, digits: digits.length, start: end - length });
    return end;
  }

  #readChunkEnd(piece: Buffer, at: number): number {
    const byte = piece[at];
    if (byte === CR && this.#text.length === 0) {
      this.#append(piece, at, at + 1);
      return at + 1;
    }
    const read = this.#takeText();
    if (byte !== LF) {
      const reason = 'no line end after the data of a chunk';
      this.#stop('confused', at - read.length, reason, read);
      return at;
    }
    this.#state = 'chunk-size';
    this.#sink.onChunkEnd?.(read.length === 1 ? 'crlf' : 'lf');
    return at + 1;
  }

  #readTrailers(piece: Buffer, at: number): number {
    const end = this.#readSection(piece, at);
    if (end === -1) return piece.length;
    // A sink without the method evaluates no argument of its call.
    const trailers = this.#takeText();
    this.#sink.onTrailers?.(trailers, end);
    if (this.#state === 'trailers') this.#finish(end);
    return end;
  }

  /** Reads on in a section. @returns where it ends; -1 if not in this piece */
  #readSection(piece: Buffer, at: number): number {
    const end = this.#blankLines.end(piece, at);
    const { section, incomplete = section } = this.#limits;
    // A section that ends in its first piece takes no memory while it is read.
    if (end !== -1 && this.#text.length === 0) this.#append(piece, at, end);
    else this.#append(piece, at, end === -1 ? piece.length : end, Math.min(section, incomplete));
    return end;
  }

  #append(piece: Buffer, at: number, end: number, limit = this.#limits.section): void {
    this.#text.append(piece, at, end, limit);
  }

  #takeText(): RawText {
    const { text, length } = this.#text;
    this.#text.clear();
    return { text, length };
  }

  #finish(end: number): void {
    this.#state = 'between';
    this.#sink.onEnd(end);
    if (this.#after !== 'message') this.#stop(this.#after, end);
  }

  #stop(kind: ReaderStop['kind'], at: number, reason?: string, read = NOTHING): void {
    this.#state = 'stopped';
    this.#sink.onStop({ kind, at, reason, ...read });
  }
}

const NOTHING: RawText = { text: '', length: 0 };
