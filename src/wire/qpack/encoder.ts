import type { FieldLines } from '../../http/fields.ts';
import { PrimitiveWriter } from '../field-compression/primitive-writer.ts';
import { staticNames } from '../field-compression/static-names.ts';
import { Indexing, indexingOf } from '../http2/hpack-encoder.ts';
import { STATIC_TABLE } from './static-table.ts';

const names = staticNames(STATIC_TABLE, 0);

/** Maximum bytes of a field line beside its text: three integers. */
const FIELD_OVERHEAD = 18;

/**
 * Encodes field sections with the static table and literals (RFC 9204 4.5). It inserts nothing, as RFC 9204 2.1 allows:
 * no section waits for another stream, whatever the peer announces.
 */
export class QpackEncoder {
  readonly #output = new PrimitiveWriter();

  /**
   * Encodes a field section.
   *
   * @param fields names in lower case; names and values with one character per byte
   * @returns the section. The next call may overwrite it
   */
  encode(fields: FieldLines): Buffer {
    const output = this.#output;
    output.reserve(2);
    // A Required Insert Count and a Base of 0.
    output.integer(0, 8, 0);
    output.integer(0, 7, 0);
    for (let at = 0; at < fields.length; at += 2) {
      this.#field(fields[at] ?? '', fields[at + 1] ?? '');
    }
    return output.take();
  }

  #field(name: string, value: string): void {
    const output = this.#output;
    output.reserve(name.length + value.length + FIELD_OVERHEAD);
    const known = names.get(name);
    const index = known?.values.get(value);
    if (index !== undefined) {
      output.integer(index, 6, 0xc0);
      return;
    }
    const isNever = indexingOf(name, value) === Indexing.never;
    if (known) output.integer(known.index, 4, isNever ? 0x70 : 0x50);
    else output.string(name, 3, isNever ? 0x30 : 0x20);
    output.string(value);
  }
}
