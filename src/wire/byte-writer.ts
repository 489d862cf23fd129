/** Code points as two bytes each, as in lists of TLS. */
export function uint16s(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  values.forEach((value, at) => bytes.writeUInt16BE(value, 2 * at));
  return bytes;
}

/**
 * A variable-length integer (RFC 9000 16) in as few bytes as possible.
 *
 * @param value from 0 to 2^62 - 1
 */
export function varint(value: number | bigint): Buffer {
  const bytes = Buffer.alloc(varintLength(value));
  writeVarint(bytes, 0, value);
  return bytes;
}

/** Bytes of a variable-length integer. @param value from 0 to 2^62 - 1 */
export function varintLength(value: number | bigint): 1 | 2 | 4 | 8 {
  if (value < 2 ** 6) return 1;
  if (value < 2 ** 14) return 2;
  return value < 2 ** 30 ? 4 : 8;
}

/**
 * Writes a variable-length integer in as few bytes as possible.
 *
 * @param value from 0 to 2^62 - 1
 * @returns the offset after it
 */
export function writeVarint(bytes: Buffer, at: number, value: number | bigint): number {
  switch (varintLength(value)) {
    case 1:
      return bytes.writeUInt8(Number(value), at);
    case 2:
      return bytes.writeUInt16BE(Number(value) + 0x4000, at);
    case 4:
      return bytes.writeUInt32BE(Number(value) + 0x8000_0000, at);
    case 8:
      return bytes.writeBigUInt64BE(BigInt(value) + (3n << 62n), at);
  }
}

/** A vector (RFC 9846 3.4): its length, and then its content. */
export function vector(lengthSize: 1 | 2 | 3, content: Uint8Array | readonly number[]): Buffer {
  const length = Buffer.alloc(lengthSize);
  length.writeUIntBE(content.length, 0, lengthSize);
  return Buffer.concat([length, Buffer.from(content)]);
}
