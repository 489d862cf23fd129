/** Reads and writes kept of each direction: so many of the first, and so many of the last ones. */
const MAX_KEPT = 64;
/** Estimated bytes of a number in a growing array. */
const NUMBER_COST = 12;

/** One read from, or write to, the kernel. */
export interface Transfer {
  /** `performance.now()` in milliseconds. */
  readonly time: number;
  readonly bytes: number;
}

/** How a side ended its direction of the connection. */
export interface TcpEnd {
  readonly by: 'client' | 'wirebin';
  readonly how: 'fin' | 'rst';
  /** `performance.now()` in milliseconds. */
  readonly time: number;
}

/** The reads, or the writes, of a TCP connection. */
export class Transfers {
  /** Time and bytes of each of the first transfers, alternating: V8 stores an array of numbers without objects. */
  readonly #first: number[] = [];
  /** A ring of the last transfers. The oldest one is at `#at`. */
  readonly #last: number[] = [];
  #at = 0;
  /** Number of all transfers. */
  count = 0;
  bytes = 0;

  add(time: number, bytes: number): void {
    this.count++;
    this.bytes += bytes;
    if (this.#first.length < 2 * MAX_KEPT) {
      this.#first.push(time, bytes);
      return;
    }
    this.#last[this.#at] = time;
    this.#last[this.#at + 1] = bytes;
    this.#at = (this.#at + 2) % (2 * MAX_KEPT);
  }

  /** The first and the last transfers, in order. */
  get kept(): readonly Transfer[] {
    const last = this.#last;
    const oldest = last.length < 2 * MAX_KEPT ? 0 : this.#at;
    const all = [...this.#first, ...last.slice(oldest), ...last.slice(0, oldest)];
    return all.flatMap((time, at) => (at % 2 === 0 ? [{ time, bytes: all[at + 1] ?? 0 }] : []));
  }

  /** Number of transfers that are not kept, between the first and the last ones. */
  get leftOut(): number {
    return this.count - (this.#first.length + this.#last.length) / 2;
  }

  /** Estimated memory in bytes. */
  get bytesKept(): number {
    return (this.#first.length + this.#last.length) * NUMBER_COST;
  }
}

/**
 * Records the TCP side of a connection. Node reports neither segments nor acknowledgements: a read is what the kernel
 * had received since the last read, and a write is what was handed to the kernel.
 */
export class TcpTrace {
  readonly reads: Readonly<Transfers> = new Transfers();
  readonly writes: Readonly<Transfers> = new Transfers();
  readonly #ends: TcpEnd[] = [];

  received(bytes: number, time: number): void {
    this.reads.add(time, bytes);
  }

  sent(bytes: number, time: number): void {
    this.writes.add(time, bytes);
  }

  /** Estimated memory in bytes. */
  get bytesKept(): number {
    return this.reads.bytesKept + this.writes.bytesKept;
  }

  /** Notes the end of a direction. Only the first end of each side is kept. */
  ended(end: TcpEnd): void {
    if (!this.#ends.some(({ by }) => by === end.by)) this.#ends.push(end);
  }

  /** The ends of both directions, in order of time. */
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
