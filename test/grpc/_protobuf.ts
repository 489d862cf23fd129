/** A field with a number (wire type 0). */
export function number(field: number, value: number): Buffer {
  return Buffer.from([field << 3, ...varint(value)]);
}

/** A field with bytes, text or a message (wire type 2). */
export function bytes(field: number, content: Uint8Array | string): Buffer {
  const value = Buffer.from(content);
  return Buffer.concat([Buffer.from([(field << 3) | 2, ...varint(value.length)]), value]);
}

/** A message of these fields. */
export function message(...fields: Buffer[]): Buffer {
  return Buffer.concat(fields);
}

function varint(value: number): number[] {
  const groups: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) groups.push((rest & 0x7f) | 0x80);
  return [...groups, rest];
}
