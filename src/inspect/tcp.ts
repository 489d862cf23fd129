/** Reads and writes that are kept of each direction: as many of the first ones as of the last ones. */
const MAX_KEPT = 64;

/** One read from, or write to, the kernel. */
export interface Transfer {
  /** `performance.now()`, in milliseconds. */
  readonly time: number;
  readonly bytes: number;
}

/** How a side ended its direction of the connection. */
export interface TcpEnd {
  readonly by: 'client' | 'wirebin';
  readonly how: 'fin' | 'rst';
  /** `performance.now()`, in milliseconds. */
  readonly time: number;
}

/** The reads or the writes of a TCP connection. */
export class Transfers {
  readonly #first: Transfer[] = [];
  /** The newest transfer is before `#at`. */
  readonly #last: Transfer[] = [];
  #at = 0;
  #count = 0;
  #bytes = 0;

  add(transfer: Transfer): void {
    this.#count++;
    this.#bytes += transfer.bytes;
    if (this.#first.length < MAX_KEPT) {
      this.#first.push(transfer);
      return;
    }
    this.#last[this.#at] = transfer;
    this.#at = (this.#at + 1) % MAX_KEPT;
  }

  /** Number of all transfers. */
  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The first and the last transfers, in order. */
  get kept(): readonly Transfer[] {
    const { length } = this.#last;
    const oldest = length < MAX_KEPT ? 0 : this.#at;
    return [...this.#first, ...this.#last.slice(oldest), ...this.#last.slice(0, oldest)];
  }

  /** Number of transfers between the first and the last that are not kept. */
  get leftOut(): number {
    return this.#count - this.#first.length - this.#last.length;
  }
}

/**
 * Records the TCP side of a connection. Node reports neither segments nor acknowledgements: a read is what
 * the kernel had received since the last one, and a write is what was handed to the kernel.
 */
export class TcpTrace {
  readonly reads = new Transfers();
  readonly writes = new Transfers();
  readonly #ends: TcpEnd[] = [];

  received(bytes: number, time: number): void {
    this.reads.add({ time, bytes });
  }

  sent(bytes: number, time: number): void {
    this.writes.add({ time, bytes });
  }

  /** The first end of each side counts. */
  ended(end: TcpEnd): void {
    if (!this.#ends.some(({ by }) => by === end.by)) this.#ends.push(end);
  }

  /** In order; the first closed the connection, or its side of it. */
  get ends(): readonly TcpEnd[] {
    return this.#ends;
  }

  get isReset(): boolean {
    return this.#ends.some(({ how }) => how === 'rst');
  }

  /** Milliseconds between the FIN of one side and the end of the other; undefined unless both ended. */
  get halfClosed(): number | undefined {
    const [first, second] = this.#ends;
    return first?.how === 'fin' && second ? second.time - first.time : undefined;
  }
}
