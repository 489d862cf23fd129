import { hex } from '../../src/wire/tls/names.ts';

/** In place of a name that is not compared: only the code point has to be there. */
export const ANY_NAME = '';

/** A table of names that is compared with a registry. */
export interface NameTable {
  /** Names by code point; `ANY_NAME` by method; statuses by field name. */
  readonly names: Readonly<Record<string, string | undefined>>;
  /** What some names in the registry begin with, and those of the table do not. */
  readonly prefix?: string;
  /** Whether the table does not have an entry of the registry. @param code in decimal */
  readonly leavesOut?: (code: string) => boolean;
}

/** An entry of a registry for one code point. */
interface Entry {
  /** As in the file, such as `0xC0,0x1D`. */
  readonly shown: string;
  readonly name: string;
}

/**
 * How a table differs from a registry, a line for each difference.
 *
 * @param csv the file of the registry
 * @throws Error if the text is no registry
 */
export function differences({ names, prefix = '', leavesOut }: NameTable, csv: string): string[] {
  const { entries, ranges } = readEntries(csv);
  const isHex = [...entries.values()].some(({ shown }) => shown.startsWith('0x'));
  const found: string[] = [];
  for (const [code, { shown, name }] of entries) {
    if (isUnused(name) || leavesOut?.(code) === true) continue;
    const here = names[code];
    const registered = plainName(name, prefix);
    if (here === undefined) found.push(`missing: ${shown} ${registered}`.trimEnd());
    else if (here !== ANY_NAME && here !== registered) {
      found.push(`differs: ${shown} ${registered}, here ${here}`);
    }
  }
  for (const [code, name] of Object.entries(names)) {
    if (entries.has(code) || ranges.some((range) => isIn(range, Number(code), name))) continue;
    found.push(`only here: ${isHex ? hex(Number(code)) : code} ${name}`.trimEnd());
  }
  return found;
}

/** An entry of a registry for several code points. */
interface Range {
  readonly first: number;
  readonly last: number;
  readonly name: string;
}

/** Whether a code point has the name of its range, which a table need not have. */
function isIn({ first, last, name }: Range, code: number, named = ANY_NAME): boolean {
  return code >= first && code <= last && name === named;
}

/** The entries of a registry by code point, method or field; what GREASE uses is among the reserved ones. */
function readEntries(csv: string): {
  readonly entries: ReadonlyMap<string, Entry>;
  readonly ranges: readonly Range[];
} {
  const [header = [], ...rows] = parseCsv(csv);
  if (header.length < 2 || rows.length === 0) throw new Error('is no CSV file of a registry');
  const entries = new Map<string, Entry>();
  const ranges: Range[] = [];
  for (const [shown = '', name = ''] of rows) {
    const entry = entryOf(header[0], shown, name);
    const [, first, last] = /^(0x[\da-f]+|\d+)-(0x[\da-f]+|\d+)$/i.exec(shown) ?? [];
    if (entry) entries.set(...entry);
    else if (first !== undefined) ranges.push({ first: Number(first), last: Number(last), name });
  }
  if (entries.size === 0) throw new Error('has no code points');
  return { entries, ranges };
}

/** An entry by code point in decimal, method or field; undefined for a range. @param kind header of the first column */
function entryOf(kind = '', shown: string, name: string): [key: string, Entry] | undefined {
  switch (kind) {
    case 'Method Name':
      return [shown, { shown, name: ANY_NAME }];
    case 'Field Name':
      // IANA capitalizes the status of some fields.
      return [shown, { shown, name: name.toLowerCase() }];
    default: {
      const code = codePoint(shown);
      return code === undefined ? undefined : [code, { shown, name }];
    }
  }
}

/** A code point in decimal, of `35`, `0x23` or `0xC0,0x1D`; undefined for a range. */
function codePoint(text: string): string | undefined {
  const joined = text.replace(',0x', '');
  return /^(?:\d+|0x[\da-f]+)$/i.test(joined) ? String(BigInt(joined)) : undefined;
}

function isUnused(name: string): boolean {
  return /^(?:Unassigned|Reserved|\(Unused\))/.test(name);
}

/** A name without remarks on its history. */
function plainName(name: string, prefix: string): string {
  const [plain = ''] = name.split(/ \((?:renamed from|OBSOLETE|TEMPORARY)/);
  return (plain.startsWith(prefix) ? plain.slice(prefix.length) : plain).replace(/_RESERVED$/, '');
}

/** The cells of each row (RFC 4180). */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain = '', end] of text.matchAll(CELL)) {
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    if (row.length > 1) rows.push(row);
    row = [];
  }
  return rows;
}

/** A cell, in quotes or not, and what ends it. */
const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g;
