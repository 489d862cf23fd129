/** Records kept of each direction: so many of the first, and so many of the last ones. */
const MAX_KEPT = 64;
/** Number of records that may wait to be read. When there are more, the oldest are counted as unread. */
const MAX_WAITING = 1024;
/** Estimated bytes of a number in a growing array. */
const NUMBER_COST = 12;

/** The bytes of HTTP in a record. `offset` is from the first HTTP byte of the direction. */
export interface Carried {
  readonly offset: number;
  readonly length: number;
}

/**
 * Finds which records of one direction carried which bytes of HTTP. OpenSSL returns the content of one record at a
 * time, and puts written bytes into the next records.
 */
export class HttpRecords {
  /** Number, offset and length of each of the first records, alternating. */
  readonly #first: number[] = [];
  /** A ring of the last records, as in `#first`. The oldest one is at `#at`. */
  readonly #last: number[] = [];
  #at = 0;
  #offset = 0;
  /** Number and length of each record that was received and not read yet, alternating. */
  readonly #waiting: number[] = [];
  #hasRead = false;
  /** Number of records that are no longer expected to be read, and below, their bytes. */
  #skipped = 0;
  #skippedBytes = 0;
  /** Bytes that were written and have not appeared in a record yet. */
  #pending = 0;

  /** Call with each received record that may carry HTTP. @param length of its content */
  received(record: number, length: number): void {
    this.#waiting.push(record, length);
    if (this.#waiting.length <= 2 * MAX_WAITING) return;
    const [, bytes = 0] = this.#waiting.splice(0, 2);
    this.#skipped++;
    this.#skippedBytes += bytes;
  }

  /** Call with the number of bytes that were read, which are the content of one record. */
  read(bytes: number): void {
    const waiting = this.#waiting;
    // Skips records of another length: they carried something else, such as the end of the handshake.
    let at = 1;
    while (at < waiting.length && waiting[at] !== bytes) at += 2;
    const [record] = at < waiting.length ? waiting.splice(0, at + 1).slice(-2) : [];
    this.#hasRead = true;
    if (record === undefined) this.#offset += bytes;
    else this.#add(record, bytes);
  }

  /**
   * Records that were received and never read, because wirebin had closed. None before the first read: the records may
   * belong to the handshake.
   *
   * @param end number of the record after the last complete one
   */
  unread(end: number) {
    let records = this.#skipped;
    let bytes = this.#skippedBytes;
    for (let at = 0; this.#hasRead && at < this.#waiting.length; at += 2) {
      if ((this.#waiting[at] ?? 0) >= end) continue;
      records++;
      bytes += this.#waiting[at + 1] ?? 0;
    }
    return { records, bytes };
  }

  /** Call with a number of bytes before TLS writes them. */
  written(bytes: number): void {
    this.#pending += bytes;
  }

  /** Call with each sent record that may carry HTTP. @param length of its content */
  sent(record: number, length: number): void {
    if (length === 0 || length > this.#pending) return;
    this.#pending -= length;
    this.#add(record, length);
  }

  /** The HTTP bytes in a record; undefined if it carried none, or is not kept. */
  carried(record: number): Carried | undefined {
    for (const [number, offset, length] of this.#kept()) {
      if (number === record) return { offset, length };
    }
    return undefined;
  }

  /** Numbers of the first and the last record that carried certain bytes, from 0; undefined unless both are kept. */
  of(from: number, bytes: number) {
    let first: number | undefined;
    let last: number | undefined;
    const end = from + Math.max(1, bytes) - 1;
    for (const [number, offset, length] of this.#kept()) {
      if (from >= offset && from < offset + length) first = number;
      if (end >= offset && end < offset + length) last = number;
    }
    return first === undefined || last === undefined ? undefined : { first, last };
  }

  /** Estimated memory in bytes. */
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
