import { createHash, type Hash } from 'node:crypto';
import {
  isInterim,
  outlineOf,
  type Framing,
  type ResponseOutline,
} from '../../wire/http1/framing.ts';
import { MessageReader, type MessageSink } from '../../wire/http1/message-reader.ts';
import type { PlainChunks } from '../../wire/http1/plain-chunks.ts';
import type { RawText } from '../../wire/http1/text-buffer.ts';
import { MAX_SECTION } from './load-connection.ts';
const LIMITS = { section: MAX_SECTION, skipsEmptyLines: false };
const NONE: ResponseOutline = {
  status: 0,
  framing: { content: 'unknown', reason: 'the status line is malformed' },
  persists: true,
};

const NOTHING: Buffer = Buffer.alloc(0);

/** Reads the responses of an HTTP/1.1 connection one by one. For speed, it keeps only status and length. */
export class ResponseMeter implements MessageSink {
  readonly #reader = new MessageReader(this, LIMITS);
  /** Text of the newest head: the next response often has the same. */
  #text = '';
  #outline = NONE;
  /** The newest head if the whole response was one piece, and the length of that: the next one is often the same. */
  #head = NOTHING;
  #wholeLength = 0;
  #length = 0;
  #method = 'GET';
  #hash: Hash | undefined;
  #isComplete = false;
  #isMalformed = false;

  /** Status of the final response. */
  get status(): number {
    return this.#outline.status;
  }

  /** Bytes of content received so far. */
  get length(): number {
    return this.#length;
  }

  /** Whether another request may follow (RFC 9112 9.3). */
  get keepsAlive(): boolean {
    return this.#outline.persists;
  }

  get isComplete(): boolean {
    return this.#isComplete && !this.#isMalformed;
  }

  get isMalformed(): boolean {
    return this.#isMalformed;
  }

  /** SHA-256 of the content in hexadecimal, if the content is hashed; may be called once. */
  get sha256(): string | undefined {
    return this.#hash?.digest('hex');
  }

  /** Whether chunks are only counted. */
  get countsChunks(): boolean {
    return this.#hash === undefined;
  }

  /** Prepares for another response. @param method of the request @param isHashed whether its content is hashed */
  reset(method = 'GET', isHashed = false): void {
    this.#isComplete = false;
    this.#length = 0;
    if (isHashed) this.#hash = createHash('sha256');
    else if (this.#hash) this.#hash = undefined;
    if (method === this.#method) return;
    this.#method = method;
    // What follows a head may depend on the method.
    this.#text = '';
    this.#wholeLength = 0;
  }

  push(piece: Buffer): void {
    const isStart =
      !this.#isComplete && this.#reader.state === 'between' && this.#hash === undefined;
    if (isStart && this.#isSame(piece)) {
      this.#length = piece.length - this.#head.length;
      this.#isComplete = true;
      return;
    }
    this.#read(piece);
    if (isStart && this.isComplete) this.#keep(piece);
  }

  /** Whether the piece is a response with the newest head, and content of the same length. */
  #isSame(piece: Buffer): boolean {
    const { length } = this.#head;
    return (
      piece.length === this.#wholeLength && piece.compare(this.#head, 0, length, 0, length) === 0
    );
  }

  #keep(piece: Buffer): void {
    const { framing, persists } = this.#outline;
    const headLength = piece.length - this.#length;
    const isWhole = framing.content === 'length' && headLength === this.#text.length && persists;
    if (!isWhole) return;
    this.#head = Buffer.from(piece.subarray(0, headLength));
    this.#wholeLength = piece.length;
  }

  #read(piece: Buffer): void {
    let at = 0;
    while (at < piece.length && !this.#isMalformed) {
      // Bytes after a response and before the next request are an error.
      if (this.#isComplete || this.#reader.state === 'stopped') this.#isMalformed = true;
      else at = this.#reader.read(piece, at);
    }
    if (this.#reader.incomplete.length > MAX_SECTION) this.#isMalformed = true;
  }

  /** Call when the server has closed the connection, which completes a response without a length. */
  end(): void {
    this.#reader.end();
  }

  onHead({ text, length }: RawText): Framing {
    if (text !== this.#text) {
      this.#text = text;
      this.#wholeLength = 0;
      const isWhole = length === text.length;
      this.#outline = (isWhole ? outlineOf(text, this.#method) : undefined) ?? NONE;
    }
    return this.#outline.framing;
  }

  onContent(piece: Buffer, start: number, end: number): void {
    this.#length += end - start;
    this.#hash?.update(piece.subarray(start, end));
  }

  onChunks({ length }: PlainChunks): void {
    this.#length += length;
  }

  onEnd(): void {
    this.#isComplete = !isInterim(this.#outline.status);
  }

  onStop(): void {
    this.#isMalformed ||= !this.#isComplete;
  }
}
