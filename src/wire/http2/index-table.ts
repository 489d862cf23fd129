import { DynamicTable, type TableEntry } from '../field-compression/dynamic-table.ts';
import { STATIC_TABLE } from './static-table.ts';

/** Size of the table until SETTINGS_HEADER_TABLE_SIZE is acknowledged (RFC 9113 6.5.2). */
export const DEFAULT_TABLE_SIZE = 4096;

const staticEntries: readonly TableEntry[] = STATIC_TABLE.map(([name, value]) => ({ name, value }));

/** The index address space: the static table, followed by the dynamic table (RFC 7541 2.3). */
export class IndexTable extends DynamicTable {
  /** @param onEvicted called with each entry that is evicted, and its number */
  constructor(onEvicted?: (entry: TableEntry, number: number) => void) {
    super(DEFAULT_TABLE_SIZE, onEvicted);
  }

  /** The entry with an index, from 1; undefined without one. */
  get(index: number): TableEntry | undefined {
    if (index <= staticEntries.length) return staticEntries[index - 1];
    return this.at(this.insertions + staticEntries.length - index);
  }
}
