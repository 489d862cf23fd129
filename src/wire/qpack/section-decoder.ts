import {
  type DynamicTable,
  entrySize,
  type TableEntry,
} from '../field-compression/dynamic-table.ts';
import type {
  DecodedField,
  FieldSection,
  Representation,
} from '../field-compression/field-section.ts';
import { FAILED, MORE, PrimitiveReader } from '../field-compression/primitive-reader.ts';
import type { Violation } from '../http2/violation.ts';
import { requiredInsertCount } from './insert-count.ts';
import { STATIC_TABLE } from './static-table.ts';
import { decompressionFailed } from './violation.ts';

/** One field line as sent (RFC 9204 4.5). */
export interface QpackField extends DecodedField {
  /** The table that `index` is of, in the dynamic table an absolute index; undefined if the name was sent as a string. */
  readonly table: 'static' | 'dynamic' | undefined;
}

/** A decoded field section (RFC 9204 4.5). */
export interface QpackSection extends FieldSection {
  readonly fields: readonly QpackField[];
  /** The Required Insert Count: 0 without references to the dynamic table (RFC 9204 4.5.1.1). */
  readonly requiredInsertCount: number;
  /** Why the section cannot be decoded. `fields` are those before it. */
  readonly error: Violation | undefined;
}

type OpenSection = { -readonly [K in keyof QpackSection]: QpackSection[K] } & {
  fields: QpackField[];
};

/** Maximum encoded bytes of a name or value; as for HPACK. */
const MAX_STRING = 65_536;
const staticEntries: readonly TableEntry[] = STATIC_TABLE.map(([name, value]) => ({ name, value }));
const NO_ENTRY: TableEntry = { name: '', value: '' };

/** Decodes field sections with the static table and the dynamic table, which sections do not change. */
export class SectionDecoder {
  readonly #table: DynamicTable;
  readonly #maxCapacity: number;
  readonly #maxListSize: number;
  readonly #reader = new PrimitiveReader({ integerBits: 62, stringLength: MAX_STRING });
  #section = emptySection(0, 0);
  #base = 0;
  /** The entry and its index that the last representation refers to. */
  #entry = NO_ENTRY;
  #index = 0;

  /**
   * @param maxCapacity SETTINGS_QPACK_MAX_TABLE_CAPACITY of the decoder
   * @param maxListSize maximum size of the fields that are kept of a section, counted as RFC 9114 4.2.2 says
   */
  constructor(table: DynamicTable, maxCapacity: number, maxListSize: number) {
    this.#table = table;
    this.#maxCapacity = maxCapacity;
    this.#maxListSize = maxListSize;
  }

  /** @returns the Required Insert Count of a section that must wait for entries of the dynamic table (RFC 9204 2.2.1) */
  decode(bytes: Buffer): QpackSection | number {
    const end = bytes.length;
    const start = this.#readPrefix(bytes, end);
    const section = this.#section;
    if (start < 0) return section;
    if (section.requiredInsertCount > this.#table.insertions) return section.requiredInsertCount;
    for (let at = start; at < end;) {
      const next = this.#readRepresentation(bytes, at, end);
      if (next < 0) {
        this.#stop(next, 'RFC 9204 4.5');
        break;
      }
      at = next;
    }
    return section;
  }

  /** Reads the prefix (RFC 9204 4.5.1). @returns the offset after it, or `FAILED` */
  #readPrefix(bytes: Buffer, end: number): number {
    this.#section = emptySection(end, 0);
    const encoded = this.#integer(bytes, 0, end, 8);
    if (encoded < 0) return this.#stop(encoded, 'RFC 9204 4.5.1');
    const count = requiredInsertCount(encoded, this.#maxCapacity, this.#table.insertions);
    if (count < 0) return this.#fail('RFC 9204 4.5.1.1', `a Required Insert Count of ${encoded}`);
    this.#section = emptySection(end, count);
    const signAt = this.#reader.end;
    const delta = this.#integer(bytes, signAt, end, 7);
    if (delta < 0) return this.#stop(delta, 'RFC 9204 4.5.1');
    const isNegative = ((bytes[signAt] ?? 0) & 0x80) !== 0;
    this.#base = isNegative ? count - delta - 1 : count + delta;
    return this.#base < 0 ? this.#fail('RFC 9204 4.5.1.2', 'a negative Base') : this.#reader.end;
  }

  /** Reads a representation. @returns the offset after it, `MORE` or `FAILED` */
  #readRepresentation(bytes: Buffer, at: number, end: number): number {
    const first = bytes[at] ?? 0;
    if ((first & 0x80) !== 0) return this.#readIndexed(bytes, at, end, 6, (first & 0x40) !== 0);
    if ((first & 0x40) !== 0) {
      const next = this.#readIndex(bytes, at, end, 4, (first & 0x10) !== 0);
      return next < 0 ? next : this.#readValue(bytes, at, next, end, (first & 0x20) !== 0);
    }
    if ((first & 0x20) !== 0) return this.#readLiteralName(bytes, at, end, (first & 0x10) !== 0);
    if ((first & 0x10) !== 0) return this.#readIndexed(bytes, at, end, 4, undefined);
    const next = this.#readIndex(bytes, at, end, 3, undefined);
    return next < 0 ? next : this.#readValue(bytes, at, next, end, (first & 0x08) !== 0);
  }

  /** Reads an indexed field line (RFC 9204 4.5.2, 4.5.3). */
  #readIndexed(
    bytes: Buffer,
    at: number,
    end: number,
    prefix: number,
    isStatic: boolean | undefined,
  ): number {
    const next = this.#readIndex(bytes, at, end, prefix, isStatic);
    if (next < 0) return next;
    const table = isStatic === true ? 'static' : 'dynamic';
    this.#push(this.#entry, 'indexed', table, false, false, at, next);
    return next;
  }

  /** Reads the value of a literal field line with a name reference (RFC 9204 4.5.4, 4.5.5). */
  #readValue(bytes: Buffer, start: number, at: number, end: number, isNever: boolean): number {
    const { name } = this.#entry;
    const next = this.#reader.string(bytes, at, end);
    if (next < 0) return next;
    const { text, isHuffman } = this.#reader;
    const table = ((bytes[start] ?? 0) & 0x50) === 0x50 ? 'static' : 'dynamic';
    const representation = isNever ? 'never-indexed' : 'literal';
    this.#push({ name, value: text }, representation, table, false, isHuffman, start, next);
    return next;
  }

  /** Reads a literal field line with a literal name (RFC 9204 4.5.6). */
  #readLiteralName(bytes: Buffer, start: number, end: number, isNever: boolean): number {
    const reader = this.#reader;
    const at = reader.string(bytes, start, end, 3);
    if (at < 0) return at;
    const { text: name, isHuffman: isHuffmanName } = reader;
    const next = reader.string(bytes, at, end);
    if (next < 0) return next;
    this.#index = 0;
    const representation = isNever ? 'never-indexed' : 'literal';
    const entry = { name, value: reader.text };
    this.#push(entry, representation, undefined, isHuffmanName, reader.isHuffman, start, next);
    return next;
  }

  /**
   * Reads the index of an entry, and finds the entry.
   *
   * @param isStatic undefined for a post-base index (RFC 9204 3.2.6)
   * @returns the offset after it, `MORE` or `FAILED`
   */
  #readIndex(
    bytes: Buffer,
    at: number,
    end: number,
    prefix: number,
    isStatic: boolean | undefined,
  ): number {
    const index = this.#reader.integer(bytes, at, end, prefix);
    if (index < 0) return index;
    if (isStatic === true) {
      const entry = staticEntries[index];
      if (!entry) return this.#fail('RFC 9204 3.1', `index ${index} of the static table`);
      this.#index = index;
      this.#entry = entry;
      return this.#reader.end;
    }
    const absolute = isStatic === undefined ? this.#base + index : this.#base - 1 - index;
    const required = this.#section.requiredInsertCount;
    const entry = absolute < required ? this.#table.at(absolute) : undefined;
    if (!entry) {
      const reason = `absolute index ${absolute}, with a Required Insert Count of ${required} and ${this.#table.evictions} entries evicted`;
      return this.#fail('RFC 9204 2.2.3', reason);
    }
    this.#index = absolute;
    this.#entry = entry;
    return this.#reader.end;
  }

  #push(
    { name, value }: TableEntry,
    representation: Representation,
    table: QpackField['table'],
    huffmanName: boolean,
    huffmanValue: boolean,
    offset: number,
    end: number,
  ): void {
    const section = this.#section;
    section.listSize += entrySize({ name, value });
    if (section.listSize > this.#maxListSize) {
      section.leftOut++;
      return;
    }
    section.fields.push({
      name,
      value,
      representation,
      index: this.#index,
      huffmanName,
      huffmanValue,
      offset,
      length: end - offset,
      table,
    });
  }

  #integer(bytes: Buffer, at: number, end: number, prefix: number): number {
    return at < end ? this.#reader.integer(bytes, at, end, prefix) : MORE;
  }

  /** Notes why reading has ended. @param result `MORE` or `FAILED` */
  #stop(result: number, section: string): number {
    if (this.#section.error) return FAILED;
    const { fault } = this.#reader;
    return result === MORE || !fault
      ? this.#fail(section, 'the section ends within a field line or its prefix')
      : this.#fail(fault.section, fault.reason);
  }

  #fail(section: string, reason: string): number {
    this.#section.error = decompressionFailed(section, reason);
    return FAILED;
  }
}

function emptySection(length: number, count: number): OpenSection {
  return {
    fields: [],
    leftOut: 0,
    listSize: 0,
    length,
    requiredInsertCount: count,
    error: undefined,
  };
}
