import { FRAME_HEADER_LENGTH } from './http2-frame.ts';

const EMPTY = Buffer.alloc(0);

/** Serializes a frame (RFC 9113 4.1). */
export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array = EMPTY,
): Buffer {
  const bytes = Buffer.alloc(FRAME_HEADER_LENGTH + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes.writeUInt8(type, 3);
  bytes.writeUInt8(flags, 4);
  bytes.writeUInt32BE(stream, 5);
  bytes.set(payload, FRAME_HEADER_LENGTH);
  return bytes;
}

export function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, at) => bytes.writeUInt32BE(value, 4 * at));
  return bytes;
}

export type Fields = readonly (readonly [name: string, value: string])[];

/**
 * Encodes fields as they are. Uses neither the dynamic table, which belongs to nghttp2, nor Huffman codes.
 * Sets the table's size to 0 first: the client may have reduced its limit (RFC 7541 4.2).
 */
export function fieldBlock(fields: Fields): Buffer {
  return Buffer.concat([Buffer.from([0x20]), literals(fields)]);
}

/** Encodes fields as they are, as literals without indexing and Huffman codes (RFC 7541 6.2.2). */
export function literals(fields: Fields): Buffer {
  return Buffer.concat(
    fields.flatMap(([name, value]) => [Buffer.from([0]), ...literal(name), ...literal(value)]),
  );
}

function literal(text: string): [Buffer, Buffer] {
  const bytes = Buffer.from(text, 'latin1');
  return [integer(bytes.length), bytes];
}

/** Encodes an integer with a prefix of 7 bits (RFC 7541 5.1). */
function integer(value: number): Buffer {
  if (value < 127) return Buffer.from([value]);
  const bytes = [127];
  let rest = value - 127;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}
