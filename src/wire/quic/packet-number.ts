// Packet numbers are limited to 2^53 - 1 here. At a million packets a second, that takes 285 years.

/** Bytes of a packet number in a header. */
export type PacketNumberLength = 1 | 2 | 3 | 4;

/**
 * Bytes to encode a packet number in: enough for more than twice the distance to the largest acknowledged one (RFC 9000 17.1).
 *
 * @param largestAcknowledged in the packet number space; -1 if there is none
 */
export function packetNumberLength(
  number: number,
  largestAcknowledged: number,
): PacketNumberLength {
  const range = number - largestAcknowledged;
  if (range < 2 ** 7) return 1;
  if (range < 2 ** 15) return 2;
  return range < 2 ** 23 ? 3 : 4;
}

/** Writes the least significant bytes of a packet number. @returns the offset after them */
export function writePacketNumber(
  bytes: Buffer,
  at: number,
  number: number,
  length: PacketNumberLength,
): number {
  return bytes.writeUIntBE(number % 2 ** (8 * length), at, length);
}

/**
 * Decodes a packet number: the one closest to the next expected number (RFC 9000 A.3).
 *
 * @param truncated the number in the header
 * @param length bytes of it
 * @param largest the largest number of an authentic packet in the packet number space; -1 if there is none
 */
export function decodePacketNumber(
  truncated: number,
  length: PacketNumberLength,
  largest: number,
): number {
  const expected = largest + 1;
  const window = 2 ** (8 * length);
  const candidate = expected - (expected % window) + truncated;
  if (candidate <= expected - window / 2 && candidate + window <= Number.MAX_SAFE_INTEGER) {
    return candidate + window;
  }
  if (candidate > expected + window / 2 && candidate >= window) return candidate - window;
  return candidate;
}
