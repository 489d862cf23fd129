/** Added to name and value for the size of an entry (RFC 7541 4.1, RFC 9204 3.2.1). */
const ENTRY_OVERHEAD = 32;
/** Number of evicted entries after which they are removed from the array, because each removal moves all others. */
const COMPACT_AFTER = 64;

export interface TableEntry {
  readonly name: string;
  readonly value: string;
}

/** The size of a field in the table and in a field section (RFC 7541 4.1, RFC 9113 6.5.2, RFC 9114 4.2.2). */
export function entrySize({ name, value }: TableEntry): number {
  return name.length + value.length + ENTRY_OVERHEAD;
}

/** The dynamic table of HPACK (RFC 7541 2.3.2) and QPACK (RFC 9204 3.2). Entries are numbered from 0 as added. */
export class DynamicTable {
  /** Entries, oldest first. Those before `#first` are evicted. */
  #entries: TableEntry[] = [];
  #first = 0;
  #size = 0;
  #maxSize: number;
  #insertions = 0;
  #evictions = 0;
  readonly #onEvicted: ((entry: TableEntry, number: number) => void) | undefined;

  /** @param onEvicted called with each entry that is evicted, and its number */
  constructor(maxSize: number, onEvicted?: (entry: TableEntry, number: number) => void) {
    this.#maxSize = maxSize;
    this.#onEvicted = onEvicted;
  }

  /** Size in bytes, as RFC 7541 4.1 counts them. */
  get size(): number {
    return this.#size;
  }

  get maxSize(): number {
    return this.#maxSize;
  }

  /** Number of entries in the table. */
  get length(): number {
    return this.#entries.length - this.#first;
  }

  /** Number of entries added so far, except those larger than the table. */
  get insertions(): number {
    return this.#insertions;
  }

  get evictions(): number {
    return this.#evictions;
  }

  /** The entry with a number; undefined if it is not yet added, or evicted. */
  at(number: number): TableEntry | undefined {
    if (number < this.#evictions) return undefined;
    return this.#entries[this.#first + number - this.#evictions];
  }

  /** Adds an entry, and evicts others. An entry larger than the table empties it (RFC 7541 4.4). */
  add(entry: TableEntry): void {
    const size = entrySize(entry);
    this.#evictDownTo(this.#maxSize - size);
    if (size > this.#maxSize) return;
    this.#entries.push(entry);
    this.#size += size;
    this.#insertions++;
  }

  resize(maxSize: number): void {
    this.#maxSize = maxSize;
    this.#evictDownTo(maxSize);
  }

  #evictDownTo(size: number): void {
    while (this.#size > size) {
      const oldest = this.#entries[this.#first];
      if (oldest === undefined) break;
      this.#size -= entrySize(oldest);
      this.#first++;
      this.#onEvicted?.(oldest, this.#evictions);
      this.#evictions++;
    }
    if (this.length === 0 || this.#first >= COMPACT_AFTER) {
      this.#entries.splice(0, this.#first);
      this.#first = 0;
    }
  }
}
