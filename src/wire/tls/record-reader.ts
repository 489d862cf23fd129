import { ContentType } from './record.ts';

/** A record as sent. */
export interface TlsRecord {
  /** From 0, in one direction. */
  readonly number: number;
  /** Of its header, from the first byte of the direction. */
  readonly offset: number;
  readonly type: number;
  readonly version: number;
  /** Bytes of content, without the header. */
  readonly length: number;
  /** When its first byte arrived, in milliseconds of the clock that was passed in. */
  readonly time: number;
}

/** Called by the reader of one direction. */
export interface RecordListener {
  /** Called at the header. Returns whether to call `onContent` with the content. */
  onRecord(record: TlsRecord): boolean;
  /** Called with the content in pieces, and `isLast` with the last one; not for an empty record. */
  onContent(record: TlsRecord, content: Buffer, isLast: boolean): void;
}

/** Records and bytes of one content type. */
export interface TypeTotal {
  readonly type: number;
  readonly records: number;
  readonly bytes: number;
}

/** How many records had a length of `from` to `to` bytes. */
export interface SizeRange {
  readonly from: number;
  readonly to: number;
  readonly records: number;
}

const HEADER = 5;
/** The most that any version allows (RFC 5246 6.2.3). */
const MAX_LENGTH = 2 ** 14 + 2048;
const RECORD_TYPES = 5;
const SIZE_RANGES = 16;

/** Reads the records of one direction of a TLS connection (RFC 8446 5.1) from pieces of any size. */
export class RecordReader {
  readonly #limit: number;
  readonly #listener: RecordListener;
  readonly #records: TlsRecord[] = [];
  readonly #counts = new Float64Array(RECORD_TYPES);
  readonly #bytes = new Float64Array(RECORD_TYPES);
  readonly #sizes = new Float64Array(SIZE_RANGES);
  readonly #header = Buffer.alloc(HEADER);
  #headerLength = 0;
  #headerTime = 0;
  #offset = 0;
  #count = 0;
  #last: TlsRecord | undefined;
  /** Bytes of the record that are still to come. */
  #remaining = 0;
  #isWanted = false;
  #confusedAt: number | undefined;

  /** @param limit records that are kept, the first ones */
  constructor(limit: number, listener: RecordListener) {
    this.#limit = limit;
    this.#listener = listener;
  }

  get offset(): number {
    return this.#offset;
  }

  /** The first records. */
  get records(): readonly TlsRecord[] {
    return this.#records;
  }

  get count(): number {
    return this.#count;
  }

  /** The newest record, which may be incomplete. */
  get last(): TlsRecord | undefined {
    return this.#last;
  }

  /** Whether the last record is complete. */
  get isComplete(): boolean {
    return this.#remaining === 0 && this.#headerLength === 0;
  }

  /** Number of complete records. */
  get complete(): number {
    return this.#remaining > 0 ? this.#count - 1 : this.#count;
  }

  /** Where no TLS record follows; the reader stops there. */
  get confusedAt(): number | undefined {
    return this.#confusedAt;
  }

  /** Of the types that there were. */
  get totals(): readonly TypeTotal[] {
    return Array.from(this.#counts, (records, at) => ({
      type: at + ContentType.changeCipherSpec,
      records,
      bytes: this.#bytes[at] ?? 0,
    })).filter(({ records }) => records > 0);
  }

  /** By powers of two, without empty ranges. */
  get sizes(): readonly SizeRange[] {
    return Array.from(this.#sizes, (records, at) => ({
      from: at === 0 ? 0 : 2 ** (at - 1),
      to: 2 ** at - 1,
      records,
    })).filter(({ records }) => records > 0);
  }

  push(piece: Buffer, time: number): void {
    let at = 0;
    while (at < piece.length && this.#confusedAt === undefined) {
      at = this.#remaining > 0 ? this.#content(piece, at) : this.#readHeader(piece, at, time);
    }
    this.#offset += piece.length;
  }

  #readHeader(piece: Buffer, at: number, time: number): number {
    if (this.#headerLength === 0) this.#headerTime = time;
    const end = Math.min(piece.length, at + HEADER - this.#headerLength);
    piece.copy(this.#header, this.#headerLength, at, end);
    this.#headerLength += end - at;
    if (this.#headerLength < HEADER) return end;
    this.#headerLength = 0;
    const offset = this.#offset + end - HEADER;
    const type = this.#header.readUInt8(0);
    const length = this.#header.readUInt16BE(3);
    const index = type - ContentType.changeCipherSpec;
    const isRecord = index >= 0 && index < RECORD_TYPES && this.#header[1] === 3;
    if (!isRecord || length > MAX_LENGTH) {
      this.#confusedAt = offset;
      return end;
    }
    const version = this.#header.readUInt16BE(1);
    this.#begin({ number: this.#count, offset, type, version, length, time: this.#headerTime });
    return end;
  }

  #begin(record: TlsRecord): void {
    const { type, length } = record;
    const index = type - ContentType.changeCipherSpec;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#bytes[index] = (this.#bytes[index] ?? 0) + length;
    const range = 32 - Math.clz32(length);
    this.#sizes[range] = (this.#sizes[range] ?? 0) + 1;
    if (this.#count < this.#limit) this.#records.push(record);
    this.#count++;
    this.#last = record;
    this.#remaining = length;
    this.#isWanted = this.#listener.onRecord(record);
  }

  #content(piece: Buffer, at: number): number {
    const end = Math.min(piece.length, at + this.#remaining);
    this.#remaining -= end - at;
    if (this.#isWanted && this.#last) {
      this.#listener.onContent(this.#last, piece.subarray(at, end), this.#remaining === 0);
    }
    return end;
  }
}
