import type { FieldLines } from '../../http/fields.ts';
import type { Sink } from '../../server/pump.ts';
import type { Output, Sent } from './output.ts';
import { lastChunk } from './response.ts';

/** Writes a response: its header section, then the content that `pump` reads, with the chunked coding if wanted. */
export class ResponseSink implements Sink {
  readonly #output: Output;
  readonly #isChunked: boolean;
  readonly #onSent: () => void;
  /** The header section; empty once it has been sent with the first piece. */
  #section: string;
  #trailers: FieldLines = [];
  #isEnded = false;

  /** @param onSent called when the system has taken all of the response */
  constructor(output: Output, section: string, isChunked: boolean, onSent: () => void) {
    this.#output = output;
    this.#section = section;
    this.#isChunked = isChunked;
    this.#onSent = onSent;
  }

  get destroyed(): boolean {
    return this.#isEnded || this.#output.isClosed;
  }

  /** Sets the trailers. They are omitted if the response is not chunked, as on HTTP/1.0 (RFC 9112 7.1.2). */
  addTrailers(trailers: FieldLines): void {
    this.#trailers = trailers;
  }

  write(piece: string | Uint8Array, _encoding: 'latin1', sent?: Sent): void {
    this.#send(piece, '', sent);
  }

  end(piece: string | Uint8Array = '', given?: Sent | 'latin1'): void {
    if (this.#isEnded) return;
    const sent = typeof given === 'function' ? given : undefined;
    const last = this.#isChunked ? lastChunk(this.#trailers) : '';
    this.#isEnded = true;
    this.#send(piece, last, (error) => {
      sent?.(error);
      if (!error) this.#onSent();
    });
  }

  #send(piece: string | Uint8Array, last: string, sent: Sent | undefined): void {
    const isChunk = this.#isChunked && piece.length > 0;
    const before = isChunk ? `${this.#section}${piece.length.toString(16)}\r\n` : this.#section;
    const after = isChunk ? `\r\n${last}` : last;
    this.#section = '';
    if (typeof piece === 'string') this.#output.write([before + piece + after], sent);
    else this.#output.write([before, piece, after], sent);
  }
}
