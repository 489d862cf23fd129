import type { Duplex } from 'node:stream';
import { chunk, lastChunk } from '../../src/check/client/http1-message.ts';
import type { FieldLine } from '../../src/check/message.ts';

/** Bytes after which a peer has to wait until they are read. */
const MAX_BUFFERED = 256 * 1024;
const MAX_SECTION = 256 * 1024;

/** A message that breaks the rules of HTTP/1.1. */
export class Malformed extends Error {
  readonly status: number;

  constructor(why: string, status = 400) {
    super(why);
    this.status = status;
  }
}

function withoutEnd(line: string): string {
  if (!line.endsWith('\r\n')) throw new Malformed('LF without CR');
  return line.slice(0, -2);
}

/** A message that ends before its end. */
export class Truncated extends Error {
  /** Whether it was reset. */
  readonly isReset: boolean;

  constructor(what: string, isReset = false) {
    super(what);
    this.isReset = isReset;
  }
}

/** Reads a connection by pulling from it; it is read ahead, so that its end is noticed at once. */
export class ByteReader {
  readonly #stream: Duplex;
  #buffered: Buffer;
  #isEnded = false;
  #isReset = false;
  #wake: (() => void) | undefined;
  #onEnd: (() => void) | undefined;

  /** @param first bytes that have been read already */
  constructor(stream: Duplex, first: Buffer = Buffer.alloc(0)) {
    this.#stream = stream;
    this.#buffered = first;
    stream.on('data', (piece: Buffer) => {
      this.#buffered = Buffer.concat([this.#buffered, piece]);
      if (this.#buffered.length > MAX_BUFFERED) stream.pause();
      this.#wake?.();
    });
    const end = (): void => {
      if (this.#isEnded) return;
      this.#isEnded = true;
      this.#wake?.();
      this.#onEnd?.();
    };
    stream.on('error', () => {
      this.#isReset = true;
    });
    stream.on('end', end).on('close', end);
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Whether nothing has been received that is not read yet. */
  get isEmpty(): boolean {
    return this.#buffered.length === 0;
  }

  /** Loses what has been read. */
  discard(): void {
    this.#buffered = Buffer.alloc(0);
  }

  /** Whether the connection was not closed in order. */
  get isReset(): boolean {
    return this.#isReset;
  }

  /** Calls when the peer ends the connection, once; undefined calls nothing any more. */
  onEnd(listener: (() => void) | undefined): void {
    this.#onEnd = listener;
    if (this.#isEnded) listener?.();
  }

  /** A line without its end. @throws Truncated if there is none @throws Malformed if it ends in LF alone */
  async line(): Promise<string> {
    return withoutEnd(await this.#take());
  }

  /**
   * The lines of a section, without the empty one at its end.
   *
   * @param rewrite changes the section before it is checked
   */
  async section(rewrite?: (text: string) => string): Promise<string[]> {
    let text = '';
    while (!/(?:^|\n)\r?\n$/.test(text)) {
      if (text.length > MAX_SECTION) throw new Malformed('the section is too long', 431);
      text += await this.#take();
    }
    const lines = (rewrite?.(text) ?? text).match(/[^\n]*\n/g) ?? [];
    return lines.slice(0, -1).map(withoutEnd);
  }

  /** Some bytes, which stay to be read; none at the end. */
  async peek(): Promise<Buffer> {
    while (this.#buffered.length === 0) if (!(await this.#more())) break;
    return this.#buffered;
  }

  /** Some bytes, at most `max`; undefined at the end. */
  async some(max: number): Promise<Buffer | undefined> {
    while (this.#buffered.length === 0) if (!(await this.#more())) return undefined;
    const piece = this.#buffered.subarray(0, max);
    this.#buffered = this.#buffered.subarray(piece.length);
    return piece;
  }

  async #take(): Promise<string> {
    for (;;) {
      const at = this.#buffered.indexOf('\n');
      if (at !== -1) {
        const line = this.#buffered.toString('latin1', 0, at + 1);
        this.#buffered = this.#buffered.subarray(at + 1);
        return line;
      }
      if (this.#buffered.length > MAX_SECTION) throw new Malformed('the line is too long', 431);
      if (!(await this.#more())) throw new Truncated('the connection has ended', this.#isReset);
    }
  }

  /** Waits for more bytes. @returns false at the end */
  async #more(): Promise<boolean> {
    if (this.#isEnded) return false;
    const before = this.#buffered.length;
    this.#stream.resume();
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
    return this.#buffered.length > before || !this.#isEnded;
  }
}

/** How content is delimited: none, its length, chunked, or by the end of the connection (RFC 9112 6.3). */
export type Framing = 'none' | 'chunked' | 'until-close' | { readonly length: number };

/** The content of an HTTP/1.1 message, piece by piece. */
export class ContentReader {
  readonly #reader: ByteReader;
  readonly #framing: Framing;
  #remaining: number;
  #isDone: boolean;
  trailers: readonly FieldLine[] = [];

  readonly #rewrite: ((line: string) => string) | undefined;

  readonly #ignoresEnd: boolean;

  /**
   * @param rewriteChunkLine changes a line with a chunk size before it is parsed
   * @param ignoresEnd whether it drops what is between a chunk and the end of the line
   */
  constructor(
    reader: ByteReader,
    framing: Framing,
    rewriteChunkLine?: (line: string) => string,
    ignoresEnd = false,
  ) {
    this.#reader = reader;
    this.#rewrite = rewriteChunkLine;
    this.#ignoresEnd = ignoresEnd;
    this.#framing = framing;
    this.#remaining = typeof framing === 'object' ? framing.length : 0;
    this.#isDone = framing === 'none' || (typeof framing === 'object' && framing.length === 0);
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** Bytes that are missing of the content, or of a chunk. */
  get remaining(): number {
    return this.#remaining;
  }

  /** The next piece; undefined at the end. @throws Truncated @throws Malformed */
  async next(): Promise<Buffer | undefined> {
    if (this.#isDone) return undefined;
    if (this.#framing === 'chunked' && this.#remaining === 0) {
      this.#remaining = await this.#chunkSize();
      if (this.#remaining === 0) {
        this.trailers = (await this.#reader.section()).map((line) => parseField(line));
        this.#isDone = true;
        return undefined;
      }
    }
    const max = this.#framing === 'until-close' ? Infinity : this.#remaining;
    const piece = await this.#reader.some(max);
    if (piece === undefined) {
      if (this.#framing !== 'until-close' || this.#reader.isReset) {
        throw new Truncated('content', this.#reader.isReset);
      }
      this.#isDone = true;
      return undefined;
    }
    this.#remaining -= piece.length;
    if (this.#remaining === 0) await this.#endOfPart();
    return piece;
  }

  async #endOfPart(): Promise<void> {
    if (this.#framing !== 'chunked') this.#isDone = true;
    else if ((await this.#reader.line()) !== '' && !this.#ignoresEnd)
      throw new Malformed('no line end after a chunk');
  }

  async #chunkSize(): Promise<number> {
    const read = await this.#reader.line();
    const line = this.#rewrite?.(read) ?? read;
    const [, digits] = /^([0-9a-f]{1,12})[ \t]*(?:;.*)?$/i.exec(line) ?? [];
    if (digits === undefined) throw new Malformed('a chunk without a valid size');
    return Number.parseInt(digits, 16);
  }
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** A field line (RFC 9112 5). @throws Malformed */
export function parseField(line: string): FieldLine {
  const at = line.indexOf(':');
  const name = line.slice(0, at);
  const value = line.slice(at + 1).replace(/^[ \t]+|[ \t]+$/g, '');
  if (at === -1 || !TOKEN.test(name)) throw new Malformed('a field without a valid name');
  // oxlint-disable-next-line no-control-regex -- RFC 9110 5.5 forbids them.
  if (/[\0-\u0008\u000a-\u001f\u007f]/.test(value)) throw new Malformed('a control character');
  return [name, value];
}

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** Content in the framing as bytes; the last piece is undefined. */
export function framed(
  framing: Framing,
  piece: Buffer | undefined,
  trailers: readonly FieldLine[],
) {
  if (framing !== 'chunked') return piece ?? Buffer.alloc(0);
  return piece === undefined ? lastChunk(trailers) : chunk(piece);
}
