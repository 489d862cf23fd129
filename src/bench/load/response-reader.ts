/** Bytes of a header section or chunk line. */
const MAX_SECTION = 256 * 1024;
const EMPTY: Buffer = Buffer.alloc(0);

type State =
  | 'head'
  | 'length'
  | 'until-close'
  | 'chunk-size'
  | 'chunk'
  | 'chunk-end'
  | 'trailers'
  | 'complete'
  | 'malformed';

/**
 * Reads the responses of a connection on HTTP/1.1, one at a time. It is made for load: it keeps nothing of them
 * but status and length.
 */
export class ResponseReader {
  #state: State = 'head';
  #status = 0;
  #length = 0;
  #keepsAlive = true;
  /** Bytes of the content or chunk that are still to come. */
  #remaining = 0;
  /** The beginning of a section or line. */
  #rest: Buffer = EMPTY;

  /** Of the final response. */
  get status(): number {
    return this.#status;
  }

  /** Bytes of its content so far. */
  get length(): number {
    return this.#length;
  }

  /** Whether another request may follow (RFC 9112 9.3). */
  get keepsAlive(): boolean {
    return this.#keepsAlive;
  }

  get isComplete(): boolean {
    return this.#state === 'complete';
  }

  get isMalformed(): boolean {
    return this.#state === 'malformed';
  }

  /** Expects another response. */
  reset(): void {
    this.#state = 'head';
    this.#length = 0;
  }

  push(piece: Buffer): void {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    this.#rest = EMPTY;
    let at = 0;
    while (at < bytes.length && this.#state !== 'malformed') {
      const next = this.#read(bytes, at);
      if (next === undefined) {
        this.#rest = bytes.subarray(at);
        if (this.#rest.length > MAX_SECTION) this.#state = 'malformed';
        return;
      }
      at = next;
    }
  }

  /** Call when the server has closed the connection, which ends some responses. */
  end(): void {
    if (this.#state === 'until-close') this.#state = 'complete';
  }

  /** Reads a part. @returns where the next one begins; undefined if this one is not there as a whole */
  #read(bytes: Buffer, at: number): number | undefined {
    switch (this.#state) {
      case 'head':
        return this.#readHead(bytes, at);
      case 'length':
        return this.#readContent(bytes, at, 'complete');
      case 'chunk':
        return this.#readContent(bytes, at, 'chunk-end');
      case 'until-close':
        this.#length += bytes.length - at;
        return bytes.length;
      case 'chunk-size':
      case 'chunk-end':
      case 'trailers':
        return this.#readLine(bytes, at);
      case 'complete':
      case 'malformed':
        // Nothing may follow a response before the next request.
        this.#state = 'malformed';
        return bytes.length;
    }
  }

  #readHead(bytes: Buffer, at: number): number | undefined {
    const end = bytes.indexOf('\r\n\r\n', at, 'latin1');
    if (end === -1) return undefined;
    const text = bytes.toString('latin1', at, end + 2);
    const [, version, status] = /^HTTP\/1\.([01]) (\d{3})[ \r]/.exec(text) ?? [];
    this.#status = Number(status);
    if (version === undefined) this.#state = 'malformed';
    // An interim response; the final one follows (RFC 9110 15.2).
    else if (this.#status >= 200) this.#readFraming(text, version);
    return end + 4;
  }

  /** RFC 9112 6.3, of responses to GET and POST. */
  #readFraming(text: string, version: string): void {
    this.#keepsAlive =
      version === '1'
        ? !/\r\nconnection:[^\r]*\bclose\b/i.test(text)
        : /\r\nconnection:[^\r]*\bkeep-alive\b/i.test(text);
    const [, length] = /\r\ncontent-length:[ \t]*(\d+)[ \t]*\r/i.exec(text) ?? [];
    if (this.#status === 204 || this.#status === 304) this.#state = 'complete';
    else if (/\r\ntransfer-encoding:[^\r]*\bchunked[ \t]*\r/i.test(text)) {
      this.#state = 'chunk-size';
    } else if (length === undefined && /\r\ncontent-length:/i.test(text)) {
      this.#state = 'malformed';
    } else if (length === undefined) {
      this.#keepsAlive = false;
      this.#state = 'until-close';
    } else {
      this.#remaining = Number(length);
      this.#state = this.#remaining === 0 ? 'complete' : 'length';
    }
  }

  #readContent(bytes: Buffer, at: number, after: 'complete' | 'chunk-end'): number {
    const taken = Math.min(this.#remaining, bytes.length - at);
    this.#length += taken;
    this.#remaining -= taken;
    if (this.#remaining === 0) this.#state = after;
    return at + taken;
  }

  #readLine(bytes: Buffer, at: number): number | undefined {
    const end = bytes.indexOf('\r\n', at, 'latin1');
    if (end === -1) return undefined;
    const line = bytes.toString('latin1', at, end);
    if (this.#state === 'chunk-size') this.#readChunkSize(line);
    else if (this.#state === 'chunk-end') this.#state = line === '' ? 'chunk-size' : 'malformed';
    else if (line === '') this.#state = 'complete';
    return end + 2;
  }

  #readChunkSize(line: string): void {
    const [, digits] = /^([0-9a-f]{1,8})[ \t]*(?:;.*)?$/i.exec(line) ?? [];
    this.#remaining = Number.parseInt(digits ?? '', 16);
    if (digits === undefined) this.#state = 'malformed';
    else this.#state = this.#remaining === 0 ? 'trailers' : 'chunk';
  }
}
