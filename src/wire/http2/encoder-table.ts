import { entrySize } from '../field-compression/dynamic-table.ts';
import { staticNames } from '../field-compression/static-names.ts';
import { IndexTable } from './index-table.ts';
import { STATIC_TABLE } from './static-table.ts';

/** The entries of a name in the dynamic table. */
interface DynamicName {
  /** Number of the newest entry, which is evicted last. */
  newest: number;
  /** Number of the entry with each value. */
  readonly values: Map<string, number>;
}

const fixedNames = staticNames(STATIC_TABLE, 1);

/** The index address space of an encoder, in which fields are found by their hash (RFC 7541 2.3). */
export class EncoderTable {
  readonly #table = new IndexTable((entry, number) =>
    this.#forget(entry.name, entry.value, number),
  );
  readonly #names = new Map<string, DynamicName>();

  get maxSize(): number {
    return this.#table.maxSize;
  }

  /** @returns the index of the field; if only its name is in the table, the index of that, negative; otherwise 0 */
  find(name: string, value: string): number {
    const fixed = fixedNames.get(name);
    const fixedIndex = fixed?.values.get(value);
    if (fixedIndex !== undefined) return fixedIndex;
    const dynamic = this.#names.get(name);
    const number = dynamic?.values.get(value);
    if (number !== undefined) return this.#indexOf(number);
    if (fixed) return -fixed.index;
    return dynamic ? -this.#indexOf(dynamic.newest) : 0;
  }

  /** Whether a field takes so much of the table that few others would be left in it: nghttp2's limit. */
  isTooLarge(name: string, value: string): boolean {
    return entrySize({ name, value }) > (this.#table.maxSize * 3) / 4;
  }

  /** Adds a field that is not in the table. */
  add(name: string, value: string): void {
    const number = this.#table.insertions;
    this.#table.add({ name, value });
    // An entry larger than the table is not added.
    if (this.#table.insertions === number) return;
    const known = this.#names.get(name);
    if (known) {
      known.newest = number;
      known.values.set(value, number);
    } else this.#names.set(name, { newest: number, values: new Map([[value, number]]) });
  }

  /** @param maxSize in bytes, as RFC 7541 4.1 counts them */
  resize(maxSize: number): void {
    this.#table.resize(maxSize);
  }

  #indexOf(number: number): number {
    return STATIC_TABLE.length + this.#table.insertions - number;
  }

  #forget(name: string, value: string, number: number): void {
    const known = this.#names.get(name);
    if (known?.newest === number) this.#names.delete(name);
    else known?.values.delete(value);
  }
}
