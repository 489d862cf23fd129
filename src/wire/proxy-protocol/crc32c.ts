/** Castagnoli polynomial, bit-reversed (RFC 9260 appendix A). */
const POLYNOMIAL = 0x82f6_3b78;

/** Made for the first header that has a checksum. */
let table: Uint32Array | undefined;

function makeTable(): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let remainder = byte;
    for (let bit = 0; bit < 8; bit++) {
      remainder = remainder & 1 ? (remainder >>> 1) ^ POLYNOMIAL : remainder >>> 1;
    }
    return remainder;
  });
}

/** CRC32c of the bytes, unsigned. */
export function crc32c(bytes: Uint8Array): number {
  table ??= makeTable();
  let remainder = 0xffff_ffff;
  for (const byte of bytes) {
    remainder = (remainder >>> 8) ^ (table[(remainder ^ byte) & 0xff] ?? 0);
  }
  return (remainder ^ 0xffff_ffff) >>> 0;
}
