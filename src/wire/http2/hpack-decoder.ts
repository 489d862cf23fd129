import { entrySize, type TableEntry } from '../field-compression/dynamic-table.ts';
import type { Representation } from '../field-compression/field-section.ts';
import { FAILED, MORE, PrimitiveReader } from '../field-compression/primitive-reader.ts';
import { emptyBlock, type HeaderBlock, type HpackError } from './header-block.ts';
import { DEFAULT_TABLE_SIZE, IndexTable } from './index-table.ts';

export interface HpackOptions {
  /** Maximum size of the fields that are kept of a block, counted like `listSize`. */
  readonly maxListSize?: number;
  /** Maximum size of the dynamic table, whatever the settings allow. */
  readonly maxTableSize?: number;
}

/** Maximum encoded length of a name or value, as of nghttp2. */
const MAX_STRING_LENGTH = 65_536;
const UINT32_MAX = 2 ** 32 - 1;
const EMPTY: Buffer = Buffer.alloc(0);
const MAX_SIZE_UPDATES = 8;
/** Estimated bytes of a field in memory, without its text. */
const FIELD_COST = 100;

/**
 * Decodes the field blocks of one direction of a connection (RFC 7541), in any number of fragments. Accepts and refuses
 * the same as nghttp2. Keeps the dynamic table, the fields of one block up to a limit, and one incomplete
 * representation.
 */
export class HpackDecoder {
  readonly #table = new IndexTable();
  readonly #maxListSize: number;
  readonly #maxTableSize: number;
  /** The receiver's SETTINGS_HEADER_TABLE_SIZE, once acknowledged. */
  #sizeLimit = DEFAULT_TABLE_SIZE;
  /** The next block must begin with a size update to at most this size (RFC 7541 4.2). */
  #requiredSize = UINT32_MAX;
  #error: HpackError | undefined;

  #block = emptyBlock();
  /** Offset of the current representation in the block. */
  #position = 0;
  #insertionsBefore = 0;
  #evictionsBefore = 0;
  #mayResize = true;
  /** The received part of an incomplete representation. */
  #rest = EMPTY;
  #restLength = 0;
  /** Length that `#rest` must reach before the representation can be complete. */
  #needed = 0;
  readonly #reader = new PrimitiveReader({ integerBits: 32, stringLength: MAX_STRING_LENGTH });

  constructor(options: HpackOptions = {}) {
    this.#maxListSize = options.maxListSize ?? Infinity;
    this.#maxTableSize = options.maxTableSize ?? Infinity;
  }

  /** Why no further blocks can be decoded; undefined if they can. */
  get error(): HpackError | undefined {
    return this.#error;
  }

  /** Estimated memory of the dynamic table and the incomplete block, in bytes. */
  get bytesKept(): number {
    const { fields, listSize } = this.#block;
    // Without kept fields, as between blocks, the block takes no memory.
    const block = fields.length === 0 ? 0 : Math.min(listSize, this.#maxListSize);
    const entries = this.#table.length + fields.length;
    return this.#table.size + block + entries * FIELD_COST + this.#rest.length;
  }

  /** Call when the sender acknowledges SETTINGS_HEADER_TABLE_SIZE (RFC 9113 4.3.1). */
  setTableSizeLimit(size: number): void {
    this.#sizeLimit = size;
    if (size >= this.#table.maxSize) return;
    this.#requiredSize = size;
    this.#table.resize(size);
  }

  /** Decodes a complete block. */
  decode(block: Buffer): HeaderBlock {
    this.write(block);
    return this.end();
  }

  /** Decodes a fragment of the current block. */
  write(bytes: Buffer, start = 0, end = bytes.length): void {
    this.#block.length += end - start;
    if (this.#error !== undefined) return;
    if (this.#restLength === 0) {
      const at = this.#read(bytes, start, end);
      if (at < end && !this.#error) this.#keep(bytes, at, end);
      return;
    }
    this.#keep(bytes, start, end);
    if (this.#restLength < this.#needed) return;
    const at = this.#read(this.#rest, 0, this.#restLength);
    this.#rest.copyWithin(0, at, this.#restLength);
    this.#restLength -= at;
    if (this.#restLength === 0) this.#rest = EMPTY;
  }

  /** Ends the current block. */
  end(): HeaderBlock {
    const block = this.#block;
    if (this.#error === undefined && this.#restLength > 0) {
      this.#fail('the block ends within a representation', 'RFC 7541 6');
    }
    if (this.#error === undefined && this.#requiredSize !== UINT32_MAX) {
      this.#fail('the block lacks a dynamic table size update', 'RFC 7541 4.2');
    }
    this.#block = emptyBlock();
    this.#rest = EMPTY;
    this.#restLength = 0;
    this.#mayResize = true;
    this.#position = 0;
    block.insertions = this.#table.insertions - this.#insertionsBefore;
    block.evictions = this.#table.evictions - this.#evictionsBefore;
    this.#insertionsBefore = this.#table.insertions;
    this.#evictionsBefore = this.#table.evictions;
    block.tableSize = this.#table.size;
    block.tableEntries = this.#table.length;
    block.maxTableSize = this.#table.maxSize;
    block.error = this.#error;
    return block;
  }

  /** Appends bytes to the incomplete representation. The buffer grows only with received bytes. */
  #keep(bytes: Buffer, start: number, end: number): void {
    const length = this.#restLength + end - start;
    if (length > this.#rest.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#restLength));
      this.#rest.copy(larger, 0, 0, this.#restLength);
      this.#rest = larger;
    }
    bytes.copy(this.#rest, this.#restLength, start, end);
    this.#restLength = length;
  }

  /** Reads representations. @returns the offset after the last complete one */
  #read(bytes: Buffer, start: number, end: number): number {
    // Offset of `bytes` in the block.
    const base = this.#block.length - end;
    let at = start;
    while (at < end) {
      this.#reader.needed = 0;
      const next = this.#readRepresentation(bytes, at, end, base);
      if (next < 0) {
        if (next === MORE) {
          this.#needed = this.#reader.needed - at;
          return at;
        }
        const { fault } = this.#reader;
        if (this.#error === undefined && fault) this.#fail(fault.reason, fault.section);
        return end;
      }
      at = next;
    }
    return at;
  }

  /** Reads a representation. @returns the offset after it, MORE or FAILED */
  #readRepresentation(bytes: Buffer, at: number, end: number, base: number): number {
    const first = bytes[at] ?? 0;
    this.#position = base + at;
    if ((first & 0xe0) === 0x20) return this.#readSizeUpdate(bytes, at, end);
    if (this.#requiredSize !== UINT32_MAX) {
      return this.#fail('the block does not start with a table size update', 'RFC 7541 4.2');
    }
    if ((first & 0x80) !== 0) return this.#readIndexed(bytes, at, end);
    return (first & 0x40) === 0
      ? this.#readLiteral(bytes, at, end, 4, (first & 0x10) === 0 ? 'literal' : 'never-indexed')
      : this.#readLiteral(bytes, at, end, 6, 'literal-indexed');
  }

  #readIndexed(bytes: Buffer, start: number, end: number): number {
    const index = this.#reader.integer(bytes, start, end, 7);
    if (index < 0) return index;
    const entry = this.#table.get(index);
    if (entry === undefined) return this.#failIndex(index, 'RFC 7541 6.1');
    this.#push(entry, 'indexed', index, false, false, this.#reader.end - start);
    return this.#reader.end;
  }

  #readLiteral(
    bytes: Buffer,
    start: number,
    end: number,
    prefix: number,
    representation: Representation,
  ): number {
    const index = this.#reader.integer(bytes, start, end, prefix);
    if (index < 0) return index;
    let name = '';
    let huffmanName = false;
    let at = this.#reader.end;
    if (index === 0) {
      at = this.#reader.string(bytes, at, end);
      if (at < 0) return at;
      name = this.#reader.text;
      huffmanName = this.#reader.isHuffman;
    } else {
      const entry = this.#table.get(index);
      if (entry === undefined) return this.#failIndex(index, 'RFC 7541 2.3.3');
      name = entry.name;
    }
    at = this.#reader.string(bytes, at, end);
    if (at < 0) return at;
    const entry = { name, value: this.#reader.text };
    if (representation === 'literal-indexed') this.#table.add(entry);
    this.#push(entry, representation, index, huffmanName, this.#reader.isHuffman, at - start);
    return at;
  }

  #readSizeUpdate(bytes: Buffer, start: number, end: number): number {
    if (!this.#mayResize) {
      return this.#fail('a table size update follows a field', 'RFC 7541 4.2');
    }
    const size = this.#reader.integer(bytes, start, end, 5);
    if (size < 0) return size;
    const limit = Math.min(this.#sizeLimit, this.#requiredSize);
    if (size > limit) {
      return this.#fail(`a table size of ${size}, above the limit of ${limit}`, 'RFC 7541 6.3');
    }
    if (size > this.#maxTableSize) {
      const reason = `a table size of ${size}; only ${this.#maxTableSize} bytes are kept here`;
      return this.#fail(reason, 'RFC 7541 7.3');
    }
    this.#requiredSize = UINT32_MAX;
    this.#table.resize(size);
    const { sizeUpdates } = this.#block;
    if (sizeUpdates.length < MAX_SIZE_UPDATES) sizeUpdates.push({ size, offset: this.#position });
    else this.#block.sizeUpdatesLeftOut++;
    return this.#reader.end;
  }

  #push(
    entry: TableEntry,
    representation: Representation,
    index: number,
    huffmanName: boolean,
    huffmanValue: boolean,
    length: number,
  ): void {
    const block = this.#block;
    this.#mayResize = false;
    block.listSize += entrySize(entry);
    if (block.listSize > this.#maxListSize) {
      block.leftOut++;
      return;
    }
    block.fields.push({
      name: entry.name,
      value: entry.value,
      representation,
      index,
      huffmanName,
      huffmanValue,
      offset: this.#position,
      length,
    });
  }

  #failIndex(index: number, section: string): number {
    const entries = this.#table.length;
    const reason = index === 0 ? 'index 0' : `index ${index}, with ${entries} dynamic entries`;
    return this.#fail(reason, section);
  }

  #fail(reason: string, section: string): number {
    this.#error = { reason, section, offset: this.#position };
    return FAILED;
  }
}
