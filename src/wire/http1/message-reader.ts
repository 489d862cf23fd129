import { BlankLines } from './blank-lines.ts';
import type { AfterMessage, Framing } from './framing.ts';
import { plainChunks, type PlainChunks } from './plain-chunks.ts';
import type { LineEnd } from './section.ts';
import { TextBuffer, type RawText } from './text-buffer.ts';

/**
 * Receives what a `MessageReader` finds. Offsets are relative to the current piece, and negative for what began in an
 * earlier one.
 */
export interface MessageSink {
  /** Whether chunks whose line has only a size may be counted together instead of being reported one by one. */
  readonly countsChunks: boolean;
  /** Called at the first byte of a message, or of the empty lines before it. */
  onStart?(at: number): void;
  /**
   * Called when a head is complete: empty lines before it, start line, fields, and the empty line after them.
   *
   * @param head its `length` exceeds that of its `text` if the head exceeds the limit
   * @param end offset after it
   * @returns the framing of the content; `unknown` stops the reader
   */
  onHead(head: RawText, end: number): Framing;
  onContent(piece: Buffer, start: number, end: number): void;
  /** Called for chunks counted together, instead of `onChunk`, `onContent` and `onChunkEnd`. */
  onChunks?(chunks: PlainChunks): void;
  /** Checks a chunk line, as far as it has arrived. @returns offset of the first byte not allowed in it */
  chunkLineViolation?(text: string): number | undefined;
  /** Called after each chunk line, including that of the last chunk. */
  onChunk?(chunk: ChunkLine): void;
  /** Called at the line end after the data of a chunk. @param at offset of the LF */
  onChunkEnd?(end: LineEnd, at: number): void;
  /** Called after the trailer section, with its text, including the empty line that ends it. */
  onTrailers?(section: RawText, end: number): void;
  /** Called after the last byte of a message. */
  onEnd(end: number): void;
  /** Called at the point after which no further message is read. */
  onStop(stop: ReaderStop): void;
}

/** A chunk line as sent (RFC 9112 7.1). */
export interface ChunkLine {
  readonly size: number;
  /** The line in Latin-1, with its line end. */
  readonly line: string;
  /** Number of digits of the size at the start of the line. */
  readonly digits: number;
  readonly start: number;
}

/** Why a reader has stopped, and where. */
export interface ReaderStop extends RawText {
  /** `confused` if no message can be found; `unserved` if none is to be read; otherwise what may follow. */
  readonly kind: 'confused' | 'unserved' | Exclude<AfterMessage, 'message'>;
  readonly reason: string | undefined;
  /** Offset of `text`: bytes that were read but belong to no message. */
  readonly at: number;
  /** Offset of the first byte that cannot belong to a message. */
  readonly byte: number;
}

export interface ReaderLimits {
  /** Maximum bytes kept of a section or line. Further ones are only counted. */
  readonly section: number;
  /** Maximum bytes kept of a section while it is incomplete. Default: `section`. */
  readonly incomplete?: number;
  /** Whether empty lines may precede a message (RFC 9112 2.2). They are part of the text of its head. */
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
  /** Bytes of content, or of the chunk, that have not arrived yet. */
  #remaining = 0;

  constructor(sink: MessageSink, limits: ReaderLimits) {
    this.#sink = sink;
    this.#limits = limits;
  }

  get state(): State {
    return this.#state;
  }

  /** The incomplete section or line, or the empty lines after the last message. */
  get incomplete(): RawText {
    return this.#text;
  }

  /** Reads from an offset to the end of a message or of the piece. @returns the offset of that end */
  read(piece: Buffer, from: number): number {
    if (from === 0) this.#blankLines.newPiece();
    let at = from;
    do at = this.#readPart(piece, at);
    while (at < piece.length && this.#state !== 'between' && this.#state !== 'stopped');
    return at;
  }

  /** Call at the end of the direction, which completes responses without a length (RFC 9112 6.3). */
  end(): void {
    if (this.#state === 'until-close') this.#finish(0);
  }

  /** Stops reading for good. */
  stop(): void {
    this.#state = 'stopped';
  }

  /**
   * Stops reading for good, and reports it.
   *
   * @param byte offset of the first refused byte
   * @param at offset after what has been read
   */
  refuse(byte: number, at: number, reason: string): void {
    if (this.#isStopped) return;
    const isSection = this.#state === 'head' || this.#state === 'trailers';
    const read = isSection ? NOTHING : this.#takeText();
    this.#stop('confused', at - read.length, reason, read, byte);
  }

  // A getter, so that TypeScript does not narrow the state: a callback may have stopped the reader.
  get #isStopped(): boolean {
    return this.#state === 'stopped';
  }

  /** Reads a part of a message. @returns the offset of the next part */
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
    const framing = this.#sink.onHead(this.#takeText(), end);
    if (this.#isStopped) return end;
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

  /** Counts plain chunks together. @returns offset of the first chunk line that must be read separately */
  #countChunks(piece: Buffer, at: number): number {
    if (!this.#sink.countsChunks || this.#text.length > 0) return at;
    const chunks = plainChunks(piece, at);
    if (chunks.count > 0) this.#sink.onChunks?.(chunks);
    return chunks.end;
  }

  #readChunkLine(piece: Buffer, from: number): number {
    const end = piece.indexOf(LF, from) + 1;
    this.#append(piece, from, end === 0 ? piece.length : end);
    const violation = this.#sink.chunkLineViolation?.(this.#text.text);
    if (violation !== undefined) {
      const read = this.#takeText();
      const start = (end === 0 ? piece.length : end) - read.length;
      this.#stop('confused', start, 'a chunk line is not valid', read, start + violation);
      return start + read.length;
    }
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
      this.#stop('confused', at - read.length, reason, read, at);
      return at;
    }
    this.#state = 'chunk-size';
    this.#sink.onChunkEnd?.(read.length === 1 ? 'crlf' : 'lf', at);
    return at + 1;
  }

  #readTrailers(piece: Buffer, at: number): number {
    const end = this.#readSection(piece, at);
    if (end === -1) return piece.length;
    // Takes the text unconditionally: without the method, `onTrailers?.()` would not evaluate its arguments.
    const trailers = this.#takeText();
    this.#sink.onTrailers?.(trailers, end);
    if (!this.#isStopped) this.#finish(end);
    return end;
  }

  /** Reads more of a section. @returns offset of its end; -1 if it does not end in this piece */
  #readSection(piece: Buffer, at: number): number {
    const end = this.#blankLines.end(piece, at);
    const { section, incomplete = section } = this.#limits;
    // The limit for incomplete sections does not apply to one that ends in its first piece.
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

  /** Reports the stop before the state changes, because the state tells what is incomplete. */
  #stop(kind: ReaderStop['kind'], at: number, reason?: string, read = NOTHING, byte = at): void {
    this.#sink.onStop({ kind, at, reason, byte, ...read });
    this.#state = 'stopped';
    this.#text.clear();
  }
}

const NOTHING: RawText = { text: '', length: 0 };
