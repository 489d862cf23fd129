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

/** Limit in bytes of a header section, chunk line or trailer section. Longer ones are malformed. */
const MAX_SECTION = 1024 * 1024;

/**
 * Limit in bytes of the content kept, including the cost of each Buffer; more is malformed. Many checks run side by
 * side, each with many responses.
 */
const MAX_CONTENT = 4 * 1024 * 1024;
/** As `MAX_CONTENT`, for requests with `isLarge`. */
export const MAX_LARGE_CONTENT = 32 * 1024 * 1024;
const PIECE_COST = 256;
/** Interim responses before the final one; RFC 9110 15.2 sets no limit. */
export const MAX_INTERIM = 1000;
/** Limit of lines in a section: a little more than the fields that `/fault/head` sends. */
const MAX_LINES = 12_000;
/** Estimated bytes of memory for a field, in addition to its text. */
export const FIELD_COST = 200;

const LIMITS = { section: MAX_SECTION, skipsEmptyLines: false };
const NOTHING: Buffer = Buffer.alloc(0);

/** Parses the responses to one HTTP/1.x request (RFC 9112): interim ones, and the final one. */
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
  /** Bytes that follow the response, or begin where it becomes malformed. */
  #after = NOTHING;
  /** Estimated bytes of memory for content and interim responses. */
  #kept = 0;
  #keepsAlive = true;
  #malformed: string | undefined;

  /**
   * @param method of the request, which decides whether the response has content (RFC 9112 6.3)
   * @param isLarge whether 16 MiB of content are allowed instead of 4
   */
  constructor(method: string, isLarge = false) {
    this.#method = method;
    this.#maxContent = isLarge ? MAX_LARGE_CONTENT : MAX_CONTENT;
  }

  /** Why the bytes are no valid response; undefined if they are. */
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

  /** Whether another request may follow (RFC 9112 9.3). Not after extra bytes. */
  get isReusable(): boolean {
    return this.isComplete && this.#keepsAlive && this.#after.length === 0;
  }

  /** Bytes received that do not yet form a complete part, or that follow the response. */
  get rest(): Buffer {
    const { text } = this.#reader.incomplete;
    return text === '' ? this.#after : Buffer.from(text, 'latin1');
  }

  /** The final response with the content received so far. */
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

  /** Call when the server has closed the connection: that ends a response without framing (RFC 9112 6.3). */
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
    // Copied: `piece` may be thousands of times longer, for example with chunk extensions, and would be retained.
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
