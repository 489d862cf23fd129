import { STATIC_TABLE } from './static-table.ts';

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

/**
 * Encodes fields by the static table where it has them or their names (RFC 7541 6.1, 6.2.2), without Huffman codes or
 * the dynamic table: the block is valid at any time of a connection. Begins with a size update to 0, like `fieldBlock`.
 */
export function staticBlock(fields: Fields): Buffer {
  return Buffer.concat([Buffer.from([0x20]), ...fields.flatMap(staticField)]);
}

function staticField([name, value]: Fields[number]): Buffer[] {
  const indexed = STATIC_TABLE.findIndex((entry) => entry[0] === name && entry[1] === value) + 1;
  // Without a value, an entry of the table only names a field.
  if (indexed > 0 && value !== '') return [integer(indexed, 7, 0x80)];
  const named = STATIC_TABLE.findIndex((entry) => entry[0] === name) + 1;
  if (named > 0) return [integer(named, 4), ...literal(value)];
  return [Buffer.from([0]), ...literal(name), ...literal(value)];
}

function literal(text: string): [Buffer, Buffer] {
  const bytes = Buffer.from(text, 'latin1');
  return [integer(bytes.length, 7), bytes];
}

/** Encodes an integer with a prefix of so many bits (RFC 7541 5.1), after the bits of a pattern. */
export function integer(value: number, prefix: number, pattern = 0): Buffer {
  const mask = 2 ** prefix - 1;
  if (value < mask) return Buffer.of(pattern | value);
  const bytes = [pattern | mask];
  let rest = value - mask;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}
