/** Maximum bytes on a connection: TLS may deliver several records after reading was stopped. */
const MAX_BYTES = 2 * 1024 * 1024;

/** Number of bytes that wait on all connections, and how many may. */
export interface UnreadTotal {
  bytes: number;
  readonly max: number;
}

interface Piece {
  readonly bytes: Buffer;
  /** When it arrived, by performance.now(). */
  readonly time: number;
}

/** What has arrived on a connection and was not read yet, because earlier requests are open. */
export class Unread {
  readonly total: UnreadTotal;
  readonly #pieces: Piece[] = [];
  /** Offset in the first piece. */
  #at = 0;
  #bytes = 0;

  constructor(total: UnreadTotal) {
    this.total = total;
  }

  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether more waits than a client may send ahead. */
  get isFlood(): boolean {
    return this.#bytes > 0 && (this.#bytes > MAX_BYTES || this.total.bytes > this.total.max);
  }

  /** The first piece, and the offset in it; undefined without one. */
  get first(): Piece | undefined {
    return this.#pieces[0];
  }

  get at(): number {
    return this.#at;
  }

  add(bytes: Buffer, time: number): void {
    this.#pieces.push({ bytes, time });
    this.#count(bytes.length);
  }

  /** Call when the first piece was read up to an offset. Not if all was taken meanwhile. */
  advance(end: number): void {
    const [first] = this.#pieces;
    if (!first) return;
    this.#count(this.#at - end);
    this.#at = end;
    if (end < first.bytes.length) return;
    this.#pieces.shift();
    this.#at = 0;
  }

  /** Removes all, and returns it, last piece first. */
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
