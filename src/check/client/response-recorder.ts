import { isInterim, outlineOf, type Framing } from '../../wire/http1/framing.ts';
import {
  MessageReader,
  type ChunkLine,
  type MessageSink,
  type ReaderStop,
} from '../../wire/http1/message-reader.ts';
import { parseSection, type RawField } from '../../wire/http1/section.ts';
import { parseResponseHead } from '../../wire/http1/start-line.ts';
import type { RawText } from '../../wire/http1/text-buffer.ts';
import type { FieldLine, ResponseHead, ResponseMessage } from '../message.ts';

/** Bytes of a header section, chunk line or trailer section; a response with a longer one is malformed. */
const MAX_SECTION = 1024 * 1024;

/**
 * Bytes of content that are kept, each piece with its object; a response with more is malformed. Checks run side
 * by side, and may each have many responses.
 */
const MAX_CONTENT = 4 * 1024 * 1024;
/** As `MAX_CONTENT`, for requests that are sent with `isLarge`. */
export const MAX_LARGE_CONTENT = 16 * 1024 * 1024;
const PIECE_COST = 256;
/** Interim responses before the final one; RFC 9110 15.2 sets no limit. */
export const MAX_INTERIM = 1000;
/** Lines of a section: some more than the fields that `/fault/head` sends. */
const MAX_LINES = 12_000;
/** Bytes that a field takes in memory beside its text, about. */
export const FIELD_COST = 200;

const LIMITS = { section: MAX_SECTION, skipsEmptyLines: false };
const NOTHING: Buffer = Buffer.alloc(0);

/** Reads the responses to one request on HTTP/1.x (RFC 9112): interim ones, and the final one. */
export class ResponseRecorder implements MessageSink {
  readonly interim: ResponseHead[] = [];
  readonly countsChunks = false;
  readonly #method: string;
  readonly #maxContent: number;
  readonly #reader = new MessageReader(this, LIMITS);
  readonly #content: Buffer[] = [];
  #head: ResponseHead | undefined;
  #trailers: readonly FieldLine[] = [];
  #isComplete = false;
  /** Bytes after the response, or where it is malformed. */
  #after = NOTHING;
  /** What is kept of the content and of interim responses, in bytes, about. */
  #kept = 0;
  #keepsAlive = true;
  #malformed: string | undefined;

  /**
   * @param method of the request, which decides whether there is content (RFC 9112 6.3)
   * @param isLarge whether there may be 16 MiB of content, instead of 4
   */
  constructor(method: string, isLarge = false) {
    this.#method = method;
    this.#maxContent = isLarge ? MAX_LARGE_CONTENT : MAX_CONTENT;
  }

  /** Why the bytes are no response; undefined if they are. */
  get malformed(): string | undefined {
    return this.#malformed;
  }

  /** Whether there is more content than is kept. */
  get isTooLong(): boolean {
    return this.#kept > this.#maxContent;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Whether the final header section has arrived. */
  get hasHead(): boolean {
    return this.#head !== undefined;
  }

  /** Whether another request may follow (RFC 9112 9.3); bytes after the response rule it out. */
  get isReusable(): boolean {
    return this.isComplete && this.#keepsAlive && this.#after.length === 0;
  }

  /** Bytes after the last part that could be read. */
  get rest(): Buffer {
    const { text } = this.#reader.incomplete;
    return text === '' ? this.#after : Buffer.from(text, 'latin1');
  }

  /** The final response as far as it came. */
  get response(): ResponseMessage | undefined {
    return (
      this.#head && {
        ...this.#head,
        content: Buffer.concat(this.#content),
        trailers: this.#trailers,
      }
    );
  }

  push(piece: Buffer): void {
    if (this.#malformed !== undefined || this.#after.length > MAX_SECTION) return;
    let at = 0;
    while (at < piece.length && !this.#isComplete && this.#malformed === undefined) {
      at = this.#reader.read(piece, at);
    }
    const after = piece.subarray(at);
    this.#after = this.#after.length === 0 ? after : Buffer.concat([this.#after, after]);
    if (this.#reader.incomplete.length >= MAX_SECTION) this.#fail(TOO_LONG);
  }

  /** Call when the server has closed the connection, which ends some responses. */
  end(): void {
    this.#reader.end();
    this.#keepsAlive = false;
  }

  onHead({ text, length }: RawText): Framing {
    if (length > text.length) return unreadable(TOO_LONG);
    const outline = outlineOf(text, this.#method);
    if (!outline) return unreadable('the status line is malformed');
    if (hasTooManyLines(text)) return unreadable(TOO_MANY_LINES);
    const { status, framing, persists } = outline;
    const fields = linesOf(parseResponseHead(text).fields);
    const head = { status, fields };
    this.#kept += text.length + FIELD_COST * fields.length;
    if (!isInterim(status)) {
      this.#head = head;
      this.#keepsAlive = persists;
      return framing;
    }
    if (this.interim.length === MAX_INTERIM || this.isTooLong) {
      return unreadable('too many interim responses');
    }
    this.interim.push(head);
    return framing;
  }

  onContent(piece: Buffer, start: number, end: number): void {
    this.#kept += end - start + PIECE_COST;
    // A copy: what arrived with it may be thousands of times as long, such as chunk extensions.
    if (this.isTooLong) this.#fail('the content is too long');
    else this.#content.push(Buffer.from(piece.subarray(start, end)));
  }

  onChunk({ line }: ChunkLine): void {
    if (/\r(?!\n)/.test(line)) this.#fail('a chunk has no valid size');
  }

  onTrailers({ text, length }: RawText): void {
    if (length > text.length) this.#fail(TOO_LONG);
    else if (hasTooManyLines(text)) this.#fail(TOO_MANY_LINES);
    else this.#trailers = linesOf(parseSection(text, 0, 0).fields);
  }

  onEnd(): void {
    this.#isComplete = this.hasHead;
  }

  onStop({ kind, reason }: ReaderStop): void {
    if (kind === 'confused') this.#malformed = reason;
  }

  #fail(reason: string): void {
    this.#malformed = reason;
    this.#reader.stop();
  }
}

const TOO_LONG = 'a section is too long';
const TOO_MANY_LINES = 'a section has too many lines';

const unreadable = (reason: string): Framing => ({ content: 'unknown', reason });

const hasTooManyLines = (text: string): boolean =>
  text.split('\n', MAX_LINES + 2).length > MAX_LINES;

function linesOf(fields: readonly RawField[]): FieldLine[] {
  return fields.map(({ name, value }): FieldLine => [name, value]);
}
