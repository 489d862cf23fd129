/** Maximum unread bytes of a connection. TLS may deliver several records after reading has stopped. */
const MAX_BYTES = 2 * 1024 * 1024;

/** Number of unread bytes on all connections, and its maximum. */
export interface UnreadTotal {
  bytes: number;
  readonly max: number;
}

interface Piece {
  readonly bytes: Buffer;
  /** When it arrived, from performance.now(). */
  readonly time: number;
}

/** Bytes that have arrived but have not been read, for example because earlier requests are open. */
export class Unread {
  readonly total: UnreadTotal;
  readonly #pieces: Piece[] = [];
  /** Offset of the first unread byte in the first piece. */
  #at = 0;
  #bytes = 0;

  constructor(total: UnreadTotal) {
    this.total = total;
  }

  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  /** Whether more bytes are unread than one client, or all clients together, may send ahead. */
  get isFlood(): boolean {
    return this.#bytes > 0 && (this.#bytes > MAX_BYTES || this.total.bytes > this.total.max);
  }

  /** The first piece; undefined without one. */
  get first(): Piece | undefined {
    return this.#pieces[0];
  }

  /** Offset of the first unread byte in the first piece. */
  get at(): number {
    return this.#at;
  }

  add(bytes: Buffer, time: number): void {
    this.#pieces.push({ bytes, time });
    this.#count(bytes.length);
  }

  /** Call when the first piece has been read up to an offset. Does nothing if all pieces were taken in the meantime. */
  advance(end: number): void {
    const [first] = this.#pieces;
    if (!first) return;
    this.#count(this.#at - end);
    this.#at = end;
    if (end < first.bytes.length) return;
    this.#pieces.shift();
    this.#at = 0;
  }

  /** Removes all pieces and returns them, last one first, so that they can be put back with `unshift`. */
  take(): Buffer[] {
    const taken = this.#pieces
      .splice(0)
      .map(({ bytes }, at) => (at === 0 ? bytes.subarray(this.#at) : bytes));
    this.#at = 0;
    this.#count(-this.#bytes);
    return taken.toReversed();
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.total.bytes += bytes;
  }
}
