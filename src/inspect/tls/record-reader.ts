import { UnitReader, type UnitSink } from '../../wire/unit-reader.ts';
import {
  ContentType,
  readRecordHeader,
  RECORDS,
  type RecordHeader,
} from '../../wire/tls/record.ts';

/** A TLS record as sent. */
export interface TlsRecord extends RecordHeader {
  /** Number in its direction, from 0. */
  readonly number: number;
  /** Offset of the record header from the beginning of the direction. */
  readonly offset: number;
  /** Time of its first byte, in milliseconds of the caller's clock. */
  readonly time: number;
}

export interface RecordListener {
  /**
   * Called at a record header. @returns how to pass the content: in pieces to `onContent`, whole to `onWhole`, or not
   */
  onRecord(record: TlsRecord): 'pieces' | 'whole' | undefined;
  /** Called with each piece of the content. Not called for an empty record. */
  onContent(record: TlsRecord, content: Buffer): void;
  /** Called with the whole content. Not called for an empty record. */
  onWhole(record: TlsRecord, content: Buffer): void;
}

/** Maximum length of a record in any version (RFC 5246 6.2.3). */
const MAX_LENGTH = 2 ** 14 + 2048;
const RECORD_TYPES = 5;
const SIZE_RANGES = 16;

/** Reads the records of one direction of a TLS connection (RFC 9846 5.1) from pieces of any size. */
export class RecordReader implements UnitSink {
  readonly #limit: number;
  readonly #listener: RecordListener;
  readonly #records: TlsRecord[] = [];
  readonly #counts = new Float64Array(RECORD_TYPES);
  readonly #lengths = new Float64Array(RECORD_TYPES);
  readonly #sizes = new Float64Array(SIZE_RANGES);
  readonly #reader = new UnitReader(RECORDS, this);
  /** Number of bytes received, including those after `confusedAt`. */
  bytes = 0;
  count = 0;
  /** Number of complete records. */
  complete = 0;
  /** The newest record, which may be incomplete. */
  last: TlsRecord | undefined;
  /** Offset at which the bytes are no TLS record, so that reading stopped; undefined if it did not. */
  confusedAt: number | undefined;
  #isPassedOn = false;

  /** @param limit number of records that are kept, which are the first ones */
  constructor(limit: number, listener: RecordListener) {
    this.#limit = limit;
    this.#listener = listener;
  }

  /** The first records. */
  get records(): readonly TlsRecord[] {
    return this.#records;
  }

  /** Whether the last record is complete. */
  get isComplete(): boolean {
    return this.#reader.isComplete;
  }

  /** Number of records and bytes of each content type that has occurred. */
  get totals() {
    return Array.from(this.#counts, (records, at) => ({
      type: at + ContentType.changeCipherSpec,
      records,
      bytes: this.#lengths[at] ?? 0,
    })).filter(({ records }) => records > 0);
  }

  /** Number of records by length, in ranges of powers of two. Empty ranges are left out. */
  get sizes() {
    return Array.from(this.#sizes, (records, at) => ({
      from: at === 0 ? 0 : 2 ** (at - 1),
      to: 2 ** at - 1,
      records,
    })).filter(({ records }) => records > 0);
  }

  push(piece: Buffer, time: number): void {
    this.bytes += piece.length;
    this.#reader.read(piece, time);
  }

  onHeader(bytes: Buffer, at: number, offset: number, time: number): number | undefined {
    const { type, version, length } = readRecordHeader(bytes, at);
    const index = type - ContentType.changeCipherSpec;
    const isRecord = index >= 0 && index < RECORD_TYPES && version >> 8 === 3;
    if (!isRecord || length > MAX_LENGTH) {
      this.confusedAt = offset;
      return undefined;
    }
    const record = { number: this.count, offset, type, version, length, time };
    this.#note(record, index);
    const wanted = this.#listener.onRecord(record);
    this.#isPassedOn = wanted === 'pieces';
    return wanted === 'whole' ? length : 0;
  }

  onHead(content: Buffer): void {
    if (this.last) this.#listener.onWhole(this.last, content);
  }

  onContent(bytes: Buffer, start: number, end: number): void {
    if (this.#isPassedOn && this.last) {
      this.#listener.onContent(this.last, bytes.subarray(start, end));
    }
  }

  onEnd(): void {
    this.complete++;
  }

  #note(record: TlsRecord, index: number): void {
    const { length } = record;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#lengths[index] = (this.#lengths[index] ?? 0) + length;
    const range = 32 - Math.clz32(length);
    this.#sizes[range] = (this.#sizes[range] ?? 0) + 1;
    if (this.count < this.#limit) this.#records.push(record);
    this.count++;
    this.last = record;
  }
}
