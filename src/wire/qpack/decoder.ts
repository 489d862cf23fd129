import { DynamicTable } from '../field-compression/dynamic-table.ts';
import { PrimitiveWriter } from '../field-compression/primitive-writer.ts';
import { RecentSection } from '../field-compression/recent-section.ts';
import type { Violation } from '../http2/violation.ts';
import { EncoderStream } from './encoder-stream.ts';
import { SectionDecoder, type QpackSection } from './section-decoder.ts';
import { decompressionFailed } from './violation.ts';

export interface QpackDecoderOptions {
  /** SETTINGS_QPACK_MAX_TABLE_CAPACITY that is announced, in bytes. */
  readonly maxTableCapacity: number;
  /** SETTINGS_QPACK_BLOCKED_STREAMS that is announced. */
  readonly maxBlockedStreams: number;
  /** Maximum size of the fields that are kept of a section, counted as RFC 9114 4.2.2 says. */
  readonly maxListSize: number;
}

const NOTHING: Buffer = Buffer.alloc(0);
/** Maximum bytes of an instruction: an integer of 62 bits. */
const MAX_INSTRUCTION = 11;
/** Maximum size of a section that is kept to be compared, counted as RFC 9114 4.2.2 says. */
const MAX_KEPT_LIST = 4096;

/** Decodes the field sections of a peer on one connection (RFC 9204 2.2). */
export class QpackDecoder {
  readonly #options: QpackDecoderOptions;
  readonly #table = new DynamicTable(0);
  readonly #encoderStream: EncoderStream;
  readonly #sections: SectionDecoder;
  /** The newest small section without references to the dynamic table: it means the same at any time. */
  readonly #recent = new RecentSection<QpackSection>();
  /** By blocked stream, the Required Insert Count of the section that it waits with. */
  readonly #blocked = new Map<number, number>();
  readonly #output = new PrimitiveWriter();
  /** The Known Received Count (RFC 9204 2.1.4). */
  #acknowledged = 0;

  constructor(options: QpackDecoderOptions) {
    const { maxTableCapacity, maxListSize } = options;
    this.#options = options;
    this.#encoderStream = new EncoderStream(this.#table, maxTableCapacity);
    this.#sections = new SectionDecoder(this.#table, maxTableCapacity, maxListSize);
  }

  /** Bytes of the dynamic table and of an incomplete instruction. */
  get bytesKept(): number {
    return this.#table.size + this.#encoderStream.bytesKept;
  }

  /**
   * Decodes a field section.
   *
   * @returns undefined if the stream is blocked (RFC 9204 2.2.1): read no more of it until `unblocked` names it, and then decode
   *   the section again. A section without references to the dynamic table may be the object that the same bytes gave before
   */
  decode(stream: number, bytes: Buffer): QpackSection | undefined {
    const recent = this.#recent.find(bytes);
    if (recent) return recent;
    const section = this.#sections.decode(bytes);
    if (typeof section === 'number') return this.#block(stream, section, bytes.length);
    const { requiredInsertCount, listSize, error } = section;
    if (error) return section;
    if (requiredInsertCount > 0) this.#acknowledge(stream, requiredInsertCount);
    else if (listSize <= MAX_KEPT_LIST) this.#recent.keep(bytes, section);
    return section;
  }

  /** Reads a piece of the peer's encoder stream. Must not be called again after a violation. */
  readEncoderStream(piece: Buffer): Violation | undefined {
    return this.#encoderStream.read(piece);
  }

  /** The streams that are no longer blocked, each once. */
  unblocked(): number[] {
    const streams: number[] = [];
    for (const [stream, count] of this.#blocked) {
      if (count > this.#table.insertions) continue;
      this.#blocked.delete(stream);
      streams.push(stream);
    }
    return streams;
  }

  /** Call when a stream is reset, or no longer read, before all its sections were decoded (RFC 9204 2.2.2.2). */
  cancel(stream: number): void {
    this.#blocked.delete(stream);
    // The encoder has no references.
    if (this.#options.maxTableCapacity === 0) return;
    this.#output.reserve(MAX_INSTRUCTION);
    this.#output.integer(stream, 6, 0x40);
  }

  /** The instructions to send on the decoder stream (RFC 9204 4.4); empty if there are none. */
  takeDecoderStream(): Buffer {
    const increment = this.#table.insertions - this.#acknowledged;
    if (increment > 0) {
      this.#output.reserve(MAX_INSTRUCTION);
      this.#output.integer(increment, 6, 0);
      this.#acknowledged += increment;
    }
    const bytes = this.#output.take();
    return bytes.length === 0 ? NOTHING : Buffer.from(bytes);
  }

  #acknowledge(stream: number, count: number): void {
    this.#output.reserve(MAX_INSTRUCTION);
    this.#output.integer(stream, 7, 0x80);
    this.#acknowledged = Math.max(this.#acknowledged, count);
  }

  /** Notes a blocked stream. @returns an error if there are more than the limit (RFC 9204 2.1.2) */
  #block(stream: number, count: number, length: number): QpackSection | undefined {
    const { maxBlockedStreams } = this.#options;
    if (this.#blocked.size < maxBlockedStreams) {
      this.#blocked.set(stream, count);
      return undefined;
    }
    const reason = `more blocked streams than SETTINGS_QPACK_BLOCKED_STREAMS of ${maxBlockedStreams}`;
    const error = decompressionFailed('RFC 9204 2.1.2', reason);
    return { fields: [], leftOut: 0, listSize: 0, length, requiredInsertCount: count, error };
  }
}
