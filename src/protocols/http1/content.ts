import { Readable } from 'node:stream';
import type { FieldLines } from '../../http/fields.ts';

/** Bytes of unread content from which the connection is no longer read. */
const MAX_UNREAD = 16 * 1024;
const NO_TRAILERS: FieldLines = [];

/** The content of a request (RFC 9112 6), as a stream. */
export class Content extends Readable {
  readonly #hold: (isHeld: boolean) => void;
  /** The trailers (RFC 9110 6.5); empty until the content is complete. */
  trailers = NO_TRAILERS;
  isComplete = false;

  /** @param hold called with true when too much content is unread, and with false once it has been read */
  constructor(hold: (isHeld: boolean) => void) {
    super({ highWaterMark: MAX_UNREAD });
    this.#hold = hold;
  }

  add(piece: Buffer): void {
    if (!this.destroyed && !this.push(piece)) this.#hold(true);
  }

  /** Call when all of the content has arrived. */
  finish(trailers: FieldLines): void {
    this.isComplete = true;
    this.trailers = trailers;
    if (!this.destroyed) this.push(null);
  }

  override _read(): void {
    this.#hold(false);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#hold(false);
    callback(error);
  }
}
