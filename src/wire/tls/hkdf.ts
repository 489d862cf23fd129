import { createHmac } from 'node:crypto';
import { vector } from '../byte-writer.ts';

/** Hashes of the cipher suites of TLS 1.3 (RFC 9846 B.4). */
export type HashName = 'sha256' | 'sha384';

export const HASH_LENGTH: Readonly<Record<HashName, number>> = { sha256: 32, sha384: 48 };

/** HKDF-Extract (RFC 5869 2.2). */
export function hkdfExtract(hash: HashName, salt: Uint8Array, keyMaterial: Uint8Array): Buffer {
  return createHmac(hash, salt).update(keyMaterial).digest();
}

/**
 * HKDF-Expand-Label (RFC 9846 7.1). hkdfSync of node:crypto cannot expand without extracting first.
 *
 * @param label without the prefix `tls13 `
 * @param length in bytes, at most that of 255 hashes
 */
export function hkdfExpandLabel(
  hash: HashName,
  secret: Uint8Array,
  label: string,
  context: Uint8Array,
  length: number,
): Buffer {
  const size = Buffer.alloc(2);
  size.writeUInt16BE(length);
  const fullLabel = vector(1, Buffer.from(`tls13 ${label}`, 'latin1'));
  const info = Buffer.concat([size, fullLabel, vector(1, context)]);
  const blocks: Buffer[] = [];
  let previous = Buffer.alloc(0);
  for (let count = 1; blocks.length * HASH_LENGTH[hash] < length; count++) {
    previous = createHmac(hash, secret)
      .update(previous)
      .update(info)
      .update(Buffer.of(count))
      .digest();
    blocks.push(previous);
  }
  return Buffer.concat(blocks).subarray(0, length);
}
