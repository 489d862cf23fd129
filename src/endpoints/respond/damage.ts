import type { Coding } from '../../http/codings.ts';

/**
 * What is wrong with encoded content:
 *
 * - truncated: it ends after half of it
 * - trailing: bytes follow its end
 * - checksum: that of the content differs. br has none
 * - not-coded: it is not encoded, but Content-Encoding says so
 */
export const DAMAGES = ['truncated', 'trailing', 'checksum', 'not-coded'] as const;
export type Damage = (typeof DAMAGES)[number];

/** Bytes after the end: the beginning of no gzip member, and of no zstd frame. */
const TRAILING = Buffer.from('trailing');

/**
 * Bytes from the start of the checksum to the end of the content: CRC-32 and a length of 4 bytes (RFC 1952 2.3.1),
 * Adler-32 (RFC 1950 2.2), Content_Checksum (RFC 8878 3.1.1). 0 without a checksum (RFC 7932).
 */
const FROM_CHECKSUM: Readonly<Record<Coding, number>> = { gzip: 8, deflate: 4, zstd: 4, br: 0 };

/** Whether the coding has a checksum of the content. */
export function hasChecksum(coding: Coding): boolean {
  return FROM_CHECKSUM[coding] > 0;
}

/** Damages encoded content. @param plain the content itself */
export function damaged(
  encoded: Uint8Array,
  plain: Uint8Array,
  coding: Coding,
  damage: Damage,
): Uint8Array {
  switch (damage) {
    case 'truncated':
      // A copy: a view would keep the rest in memory.
      return Buffer.from(encoded.subarray(0, Math.floor(encoded.length / 2)));
    case 'trailing':
      return Buffer.concat([encoded, TRAILING]);
    case 'checksum': {
      const changed = Buffer.from(encoded);
      const at = changed.length - FROM_CHECKSUM[coding];
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      return changed;
    }
    case 'not-coded':
      return plain;
  }
}
