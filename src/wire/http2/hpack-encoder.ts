import type { FieldLines } from '../../http/fields.ts';
import { integer, PrimitiveWriter } from '../field-compression/primitive-writer.ts';
import { EncoderTable } from './encoder-table.ts';
import { DEFAULT_TABLE_SIZE } from './index-table.ts';

/** How a field is sent that is not in the table (RFC 7541 6.2): its first bits, and below, the bits of its index. */
export const Indexing = { incremental: 0x40, without: 0x00, never: 0x10 } as const;
export type Indexing = (typeof Indexing)[keyof typeof Indexing];
const prefixOf = (indexing: Indexing): number => (indexing === Indexing.incremental ? 6 : 4);

/** How many bytes of a short secret can be guessed one by one by the size of blocks (RFC 7541 7.1.3); as nghttp2. */
const SHORT_COOKIE = 20;
/** Fields whose values hardly ever repeat, and would evict others; those of nghttp2. */
const indexings = new Map<string, Indexing>([
  ['authorization', Indexing.never],
  ['proxy-authorization', Indexing.never],
  ['set-cookie', Indexing.never],
  [':path', Indexing.without],
  ['age', Indexing.without],
  ['content-length', Indexing.without],
  ['etag', Indexing.without],
  ['if-modified-since', Indexing.without],
  ['if-none-match', Indexing.without],
  ['location', Indexing.without],
]);

/** The usual choice for a field that is not in the table. */
export function indexingOf(name: string, value: string): Indexing {
  if (name === 'cookie' && value.length < SHORT_COOKIE) return Indexing.never;
  return indexings.get(name) ?? Indexing.incremental;
}

export interface HpackEncoderOptions {
  /** Maximum size of the dynamic table in bytes, whatever the peer allows. Default: 4096. */
  readonly maxTableSize?: number;
  /** How a field is sent that is not in the table. Default: `indexingOf`. */
  readonly indexing?: (name: string, value: string) => Indexing;
}

/** Maximum bytes of a field beside its text: three integers. */
const FIELD_OVERHEAD = 18;

/** Encodes the field blocks of one direction of a connection (RFC 7541). */
export class HpackEncoder {
  readonly #table = new EncoderTable();
  readonly #maxTableSize: number;
  readonly #indexing: (name: string, value: string) => Indexing;
  /** The smallest size of the table since the last block, which the next one begins with (RFC 7541 4.2). */
  #smallest: number | undefined;
  readonly #output = new PrimitiveWriter();

  constructor(options: HpackEncoderOptions = {}) {
    this.#maxTableSize = options.maxTableSize ?? DEFAULT_TABLE_SIZE;
    this.#indexing = options.indexing ?? indexingOf;
    this.setTableSizeLimit(DEFAULT_TABLE_SIZE);
  }

  /** Call with the peer's SETTINGS_HEADER_TABLE_SIZE (RFC 9113 6.5.2). */
  setTableSizeLimit(limit: number): void {
    const size = Math.min(limit, this.#maxTableSize);
    if (size === this.#table.maxSize) return;
    this.#smallest = Math.min(size, this.#smallest ?? size);
    this.#table.resize(size);
  }

  /** Empties the table, because the peer may have been sent a block of another encoder. */
  clear(): void {
    const { maxSize } = this.#table;
    this.#table.resize(0);
    this.#table.resize(maxSize);
    this.#smallest = 0;
  }

  /**
   * Encodes a field section.
   *
   * @param fields names in lower case; names and values with one character per byte
   * @returns the block. The next call may overwrite it
   */
  encode(fields: FieldLines): Buffer {
    if (this.#smallest !== undefined) this.#updateSize(this.#smallest);
    for (let at = 0; at < fields.length; at += 2) {
      this.#field(fields[at] ?? '', fields[at + 1] ?? '');
    }
    return this.#output.take();
  }

  #updateSize(smallest: number): void {
    const size = this.#table.maxSize;
    if (smallest < size) this.#output.integer(smallest, 5, 0x20);
    this.#output.integer(size, 5, 0x20);
    this.#smallest = undefined;
  }

  #field(name: string, value: string): void {
    const output = this.#output;
    output.reserve(name.length + value.length + FIELD_OVERHEAD);
    const index = this.#table.find(name, value);
    if (index > 0) {
      output.integer(index, 7, 0x80);
      return;
    }
    let indexing = this.#indexing(name, value);
    if (indexing === Indexing.incremental) {
      if (this.#table.isTooLarge(name, value)) indexing = Indexing.without;
      else this.#table.add(name, value);
    }
    output.integer(-index, prefixOf(indexing), indexing);
    if (index === 0) output.string(name);
    output.string(value);
  }
}

export type Fields = readonly (readonly [name: string, value: string])[];

/**
 * Encodes fields without changes, and without Huffman codes or the dynamic table, which belongs to nghttp2. Begins with
 * a size update to 0, because the client may have reduced its limit (RFC 7541 4.2).
 */
export function fieldBlock(fields: Fields): Buffer {
  return Buffer.concat([Buffer.from([0x20]), literals(fields)]);
}

/** Encodes fields without changes, as literals without indexing or Huffman codes (RFC 7541 6.2.2). */
export function literals(fields: Fields): Buffer {
  return Buffer.concat(
    fields.flatMap(([name, value]) => [Buffer.from([0]), ...literal(name), ...literal(value)]),
  );
}

function literal(text: string): [Buffer, Buffer] {
  const bytes = Buffer.from(text, 'latin1');
  return [integer(bytes.length, 7), bytes];
}
