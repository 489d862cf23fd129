/** Code points as two bytes each, as in lists of TLS. */
export function uint16s(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  values.forEach((value, at) => bytes.writeUInt16BE(value, 2 * at));
  return bytes;
}

/** A vector (RFC 9846 3.4): its length, and then its content. */
export function vector(lengthSize: 1 | 2 | 3, content: Uint8Array | readonly number[]): Buffer {
  const length = Buffer.alloc(lengthSize);
  length.writeUIntBE(content.length, 0, lengthSize);
  return Buffer.concat([length, Buffer.from(content)]);
}
