/** Records that are kept of each direction: as many of the first ones as of the last ones. */
const MAX_KEPT = 64;
/** Records that wait to be read; those before them are no longer expected to be. */
const MAX_WAITING = 1024;
/** Memory of a number in an array that grows, in bytes, about. */
const NUMBER_COST = 12;

/** Bytes of HTTP in a record, from the first one of their direction. */
export interface Carried {
  readonly offset: number;
  readonly length: number;
}

/** Records whose content was not read. */
export interface UnreadRecords {
  readonly records: number;
  readonly bytes: number;
}

/** The records that carried some bytes, from 0. */
export interface RecordRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Finds out which records of one direction carried which bytes of HTTP. OpenSSL returns the content of one
 * record at a time, and puts what is written into the next records.
 */
export class HttpRecords {
  /** Number, offset and length of each record in turn. */
  readonly #first: number[] = [];
  /** The newest record is before `#at`. */
  readonly #last: number[] = [];
  #at = 0;
  #offset = 0;
  /** Numbers and lengths of records that were received and not yet read. */
  readonly #waiting: number[] = [];
  #hasRead = false;
  /** Records that no longer wait, and their bytes. */
  #skipped = 0;
  #skippedBytes = 0;
  /** Bytes that were written and are not yet in a record. */
  #pending = 0;

  /** Call with each record that may carry HTTP. @param length of its content */
  received(record: number, length: number): void {
    this.#waiting.push(record, length);
    if (this.#waiting.length <= 2 * MAX_WAITING) return;
    const [, bytes = 0] = this.#waiting.splice(0, 2);
    this.#skipped++;
    this.#skippedBytes += bytes;
  }

  /** Call with the bytes that were read of one record. */
  read(bytes: number): void {
    const waiting = this.#waiting;
    // Those before it carried something else, such as the end of the handshake.
    let at = 1;
    while (at < waiting.length && waiting[at] !== bytes) at += 2;
    const [record] = at < waiting.length ? waiting.splice(0, at + 1).slice(-2) : [];
    this.#hasRead = true;
    if (record === undefined) this.#offset += bytes;
    else this.#add(record, bytes);
  }

  /**
   * What was received and never read, because wirebin had closed. Before the first read, the records may be
   * of the handshake.
   *
   * @param end number of the record after the last complete one
   */
  unread(end: number): UnreadRecords {
    let records = this.#skipped;
    let bytes = this.#skippedBytes;
    for (let at = 0; this.#hasRead && at < this.#waiting.length; at += 2) {
      if ((this.#waiting[at] ?? 0) >= end) continue;
      records++;
      bytes += this.#waiting[at + 1] ?? 0;
    }
    return { records, bytes };
  }

  /** Call with bytes before TLS writes them. */
  written(bytes: number): void {
    this.#pending += bytes;
  }

  /** Call with each record that may carry HTTP. @param length of its content */
  sent(record: number, length: number): void {
    if (length === 0 || length > this.#pending) return;
    this.#pending -= length;
    this.#add(record, length);
  }

  /** What a record carried; undefined if it was no HTTP, or is not kept. */
  carried(record: number): Carried | undefined {
    for (const [number, offset, length] of this.#kept()) {
      if (number === record) return { offset, length };
    }
    return undefined;
  }

  /** The records of some bytes; undefined unless the first and the last of them are kept. */
  of(from: number, bytes: number): RecordRange | undefined {
    let first: number | undefined;
    let last: number | undefined;
    const end = from + Math.max(1, bytes) - 1;
    for (const [number, offset, length] of this.#kept()) {
      if (from >= offset && from < offset + length) first = number;
      if (end >= offset && end < offset + length) last = number;
    }
    return first === undefined || last === undefined ? undefined : { first, last };
  }

  /** Memory that is held, in bytes, about. */
  get bytesKept(): number {
    const numbers = this.#first.length + this.#last.length + this.#waiting.length;
    return numbers * NUMBER_COST;
  }

  #add(record: number, length: number): void {
    const offset = this.#offset;
    this.#offset += length;
    if (this.#first.length < 3 * MAX_KEPT) {
      this.#first.push(record, offset, length);
      return;
    }
    this.#last[this.#at] = record;
    this.#last[this.#at + 1] = offset;
    this.#last[this.#at + 2] = length;
    this.#at = (this.#at + 3) % (3 * MAX_KEPT);
  }

  *#kept(): Generator<readonly [record: number, offset: number, length: number]> {
    for (const list of [this.#first, this.#last]) {
      for (let at = 0; at < list.length; at += 3) {
        yield [list[at] ?? 0, list[at + 1] ?? 0, list[at + 2] ?? 0];
      }
    }
  }
}
