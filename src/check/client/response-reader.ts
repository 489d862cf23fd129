import { isInterim, responseFraming } from '../../inspect/http1/framing.ts';
import { parseSection } from '../../inspect/http1/section.ts';
import { parseResponseHead } from '../../inspect/http1/start-line.ts';
import { listOf, type FieldLine, type ResponseHead, type ResponseMessage } from '../message.ts';

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

const LF = 0x0a;
const CR = 0x0d;

type State = 'head' | 'length' | 'until-close' | 'chunk-size' | 'chunk-end' | 'trailers' | 'done';

/** Reads the responses to one request on HTTP/1.x (RFC 9112): interim ones, and the final one. */
export class ResponseReader {
  readonly interim: ResponseHead[] = [];
  readonly #method: string;
  readonly #maxContent: number;
  readonly #content: Buffer[] = [];
  #head: ResponseHead | undefined;
  #trailers: readonly FieldLine[] = [];
  #state: State = 'head';
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes of content or of the chunk that are still to come. */
  #remaining = 0;
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
    return this.#state === 'done';
  }

  /** Whether the final header section has arrived. */
  get hasHead(): boolean {
    return this.#head !== undefined;
  }

  /** Whether another request may follow (RFC 9112 9.3); bytes after the response rule it out. */
  get isReusable(): boolean {
    return this.isComplete && this.#keepsAlive && this.#rest.length === 0;
  }

  /** Bytes after the response. */
  get rest(): Buffer {
    return this.#rest;
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
    if (this.#malformed !== undefined) return;
    if (this.isComplete && this.#rest.length > MAX_SECTION) return;
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    while (this.#malformed === undefined && this.#read());
  }

  /** Call when the server has closed the connection, which ends some responses. */
  end(): void {
    if (this.#state === 'until-close') this.#state = 'done';
    this.#keepsAlive = false;
  }

  /** Reads a part. @returns whether there may be another one */
  #read(): boolean {
    switch (this.#state) {
      case 'head':
        return this.#readHead();
      case 'length':
      case 'until-close':
        return this.#readContent('done');
      case 'chunk-size':
        return this.#readChunkSize();
      case 'chunk-end':
        return this.#readChunkEnd();
      case 'trailers':
        return this.#readTrailers();
      case 'done':
        return false;
    }
  }

  #readHead(): boolean {
    const text = this.#takeSection();
    if (text === undefined) return false;
    const { line, fields } = parseResponseHead(text);
    const status = Number(line.status);
    if (!/^HTTP\/1\.[01]$/.test(line.version) || !Number.isInteger(status)) {
      return this.#fail('the status line is malformed');
    }
    const head = { status, fields: fields.map(({ name, value }): FieldLine => [name, value]) };
    this.#kept += text.length + FIELD_COST * fields.length;
    if (isInterim(status)) {
      if (this.interim.length === MAX_INTERIM || this.isTooLong) {
        return this.#fail('too many interim responses');
      }
      this.interim.push(head);
      return true;
    }
    this.#head = head;
    this.#keepsAlive = keepsAlive(head, line.version);
    const framing = responseFraming(text, this.#method);
    switch (framing.content) {
      case 'none':
        this.#state = 'done';
        return true;
      case 'length':
        this.#remaining = framing.length;
        this.#state = framing.length === 0 ? 'done' : 'length';
        return true;
      case 'chunked':
        this.#state = 'chunk-size';
        return true;
      case 'until-close':
        this.#remaining = Infinity;
        this.#state = 'until-close';
        return true;
      case 'unknown':
        return this.#fail(framing.reason);
    }
  }

  /** @param after the state after the last byte of the content, or of the chunk */
  #readContent(after: 'done' | 'chunk-end'): boolean {
    if (this.#rest.length === 0) return false;
    const piece = this.#rest.subarray(0, this.#remaining);
    this.#kept += piece.length + PIECE_COST;
    if (this.isTooLong) return this.#fail('the content is too long');
    // A copy: what arrived with it may be thousands of times as long, such as chunk extensions.
    this.#content.push(Buffer.from(piece));
    this.#rest = this.#rest.subarray(piece.length);
    this.#remaining -= piece.length;
    if (this.#remaining === 0) this.#state = after;
    return this.#remaining === 0;
  }

  #readChunkSize(): boolean {
    if (this.#remaining > 0) return this.#readContent('chunk-end');
    const line = this.#takeLine();
    if (line === undefined) return false;
    const [, digits] = /^([0-9a-f]{1,12})[ \t]*(?:;.*)?$/i.exec(line) ?? [];
    if (digits === undefined) return this.#fail('a chunk has no valid size');
    this.#remaining = Number.parseInt(digits, 16);
    if (this.#remaining === 0) this.#state = 'trailers';
    return true;
  }

  #readChunkEnd(): boolean {
    const line = this.#takeLine();
    if (line === undefined) return false;
    if (line !== '') return this.#fail('no line end after the data of a chunk');
    this.#state = 'chunk-size';
    return true;
  }

  #readTrailers(): boolean {
    // Without trailers there is the empty line only.
    const isEmpty = /^\r?\n/.test(this.#rest.toString('latin1', 0, 2));
    const text = isEmpty ? this.#takeLine() : this.#takeSection();
    if (text === undefined) return false;
    const { fields } = parseSection(text, 0, 0);
    this.#trailers = fields.map(({ name, value }): FieldLine => [name, value]);
    this.#state = 'done';
    return true;
  }

  /** Takes a section with the empty line that ends it. */
  #takeSection(): string | undefined {
    const end = this.#sectionEnd();
    if (end === undefined) return undefined;
    const text = this.#rest.toString('latin1', 0, end);
    this.#rest = this.#rest.subarray(end);
    return text;
  }

  /** Where the empty line ends; undefined if it has not arrived, or will not be waited for. */
  #sectionEnd(): number | undefined {
    const rest = this.#rest.subarray(0, MAX_SECTION);
    let lines = 0;
    for (let lf = rest.indexOf(LF); lf !== -1; lf = rest.indexOf(LF, lf + 1)) {
      const last = rest[lf + 1] === CR ? lf + 2 : lf + 1;
      if (rest[last] === LF) return last + 1;
      if (++lines > MAX_LINES) {
        this.#fail('a section has too many lines');
        return undefined;
      }
    }
    if (this.#rest.length >= MAX_SECTION) this.#fail('a section is too long');
    return undefined;
  }

  /** Takes a line, without its end. */
  #takeLine(): string | undefined {
    const end = this.#rest.indexOf('\n');
    if (end === -1) {
      if (this.#rest.length >= MAX_SECTION) this.#fail('a line is too long');
      return undefined;
    }
    const line = this.#rest.toString('latin1', 0, end);
    this.#rest = this.#rest.subarray(end + 1);
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  }

  #fail(reason: string): false {
    this.#malformed = reason;
    return false;
  }
}

/** RFC 9112 9.3. */
function keepsAlive({ fields }: ResponseHead, version: string): boolean {
  const options = new Set(listOf(fields, 'connection'));
  if (options.has('close')) return false;
  return version === 'HTTP/1.1' || options.has('keep-alive');
}
