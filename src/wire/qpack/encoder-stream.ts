import { type DynamicTable, entrySize } from '../field-compression/dynamic-table.ts';
import type { PrimitiveReader } from '../field-compression/primitive-reader.ts';
import type { Violation } from '../http2/violation.ts';
import { InstructionReader } from './instruction-reader.ts';
import { STATIC_TABLE } from './static-table.ts';
import { encoderStreamError } from './violation.ts';

/** Bits of the longest Huffman code: a string of n bytes decodes to at least n * 8 / 30 characters (RFC 7541 B). */
const MAX_CODE = 30;

/** Reads the encoder stream of a peer (RFC 9204 4.3), which changes the dynamic table of the decoder. */
export class EncoderStream {
  readonly #table: DynamicTable;
  readonly #maxCapacity: number;
  readonly #instructions: InstructionReader;

  /** @param maxCapacity SETTINGS_QPACK_MAX_TABLE_CAPACITY of the decoder */
  constructor(table: DynamicTable, maxCapacity: number) {
    this.#table = table;
    this.#maxCapacity = maxCapacity;
    // An entry with a longer string never fits, so an incomplete instruction takes no more memory than that.
    const maxString = Math.floor((maxCapacity * MAX_CODE) / 8);
    this.#instructions = new InstructionReader(
      (...args) => this.#readInstruction(...args),
      encoderStreamError,
      maxString,
    );
  }

  /** Bytes of the incomplete instruction. */
  get bytesKept(): number {
    return this.#instructions.bytesKept;
  }

  /** Reads a piece of the stream. Must not be called again after a violation. */
  read(piece: Buffer): Violation | undefined {
    return this.#instructions.read(piece);
  }

  #readInstruction(
    reader: PrimitiveReader,
    bytes: Buffer,
    at: number,
    end: number,
  ): number | Violation {
    const first = bytes[at] ?? 0;
    if ((first & 0x80) !== 0) return this.#readNameReference(reader, bytes, at, end);
    if ((first & 0x40) !== 0) return this.#readLiteralName(reader, bytes, at, end);
    const value = reader.integer(bytes, at, end, 5);
    if (value < 0) return value;
    const wrong = (first & 0x20) === 0 ? this.#duplicate(value) : this.#setCapacity(value);
    return wrong ?? reader.end;
  }

  /** Reads Insert with Name Reference (RFC 9204 4.3.2). */
  #readNameReference(
    reader: PrimitiveReader,
    bytes: Buffer,
    at: number,
    end: number,
  ): number | Violation {
    const index = reader.integer(bytes, at, end, 6);
    if (index < 0) return index;
    const isStatic = ((bytes[at] ?? 0) & 0x40) !== 0;
    const name = isStatic ? STATIC_TABLE[index]?.[0] : this.#relative(index)?.name;
    if (name === undefined) return unknownEntry(isStatic ? 'static' : 'relative', index);
    const next = reader.string(bytes, reader.end, end);
    return next < 0 ? next : (this.#insert(name, reader.text) ?? next);
  }

  /** Reads Insert with Literal Name (RFC 9204 4.3.3). */
  #readLiteralName(
    reader: PrimitiveReader,
    bytes: Buffer,
    at: number,
    end: number,
  ): number | Violation {
    const valueAt = reader.string(bytes, at, end, 5);
    if (valueAt < 0) return valueAt;
    const name = reader.text;
    const next = reader.string(bytes, valueAt, end);
    return next < 0 ? next : (this.#insert(name, reader.text) ?? next);
  }

  /** Set Dynamic Table Capacity (RFC 9204 4.3.1). */
  #setCapacity(capacity: number): Violation | undefined {
    if (capacity <= this.#maxCapacity) {
      this.#table.resize(capacity);
      return undefined;
    }
    const limit = `above SETTINGS_QPACK_MAX_TABLE_CAPACITY of ${this.#maxCapacity}`;
    return encoderStreamError(
      'RFC 9204 4.3.1',
      `a dynamic table capacity of ${capacity}, ${limit}`,
    );
  }

  /** Duplicate (RFC 9204 4.3.4). */
  #duplicate(index: number): Violation | undefined {
    const entry = this.#relative(index);
    return entry ? this.#insert(entry.name, entry.value) : unknownEntry('relative', index);
  }

  #insert(name: string, value: string): Violation | undefined {
    const entry = { name, value };
    const size = entrySize(entry);
    const { maxSize } = this.#table;
    if (size > maxSize) {
      const reason = `an entry of ${size} bytes, above the dynamic table capacity of ${maxSize}`;
      return encoderStreamError('RFC 9204 3.2.2', reason);
    }
    this.#table.add(entry);
    return undefined;
  }

  /** The entry with a relative index of the encoder stream: 0 is the newest (RFC 9204 3.2.5). */
  #relative(index: number): ReturnType<DynamicTable['at']> {
    return this.#table.at(this.#table.insertions - 1 - index);
  }
}

function unknownEntry(kind: 'static' | 'relative', index: number): Violation {
  const section = kind === 'static' ? 'RFC 9204 3.1' : 'RFC 9204 2.2.3';
  return encoderStreamError(section, `${kind} index ${index} without an entry`);
}
