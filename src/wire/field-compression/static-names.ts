/** Name and value of the entries of a static table, in the order of their indices. */
export type StaticTable = readonly (readonly [name: string, value: string])[];

/** The entries of a name in a static table. */
export interface StaticName {
  /** Index of the first entry. */
  readonly index: number;
  /** Index of the entry with each value. */
  readonly values: ReadonlyMap<string, number>;
}

/** The entries of a static table by name. @param first index of the first entry */
export function staticNames(table: StaticTable, first: number): ReadonlyMap<string, StaticName> {
  const names = new Map<string, { index: number; values: Map<string, number> }>();
  for (const [at, [name, value]] of table.entries()) {
    const index = first + at;
    const known = names.get(name);
    if (known) known.values.set(value, index);
    else names.set(name, { index, values: new Map([[value, index]]) });
  }
  return names;
}
