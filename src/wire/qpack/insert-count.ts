/** Size of the smallest entry of a dynamic table (RFC 9204 4.5.1.1). */
const MIN_ENTRY = 32;

/**
 * The Required Insert Count of a field section (RFC 9204 4.5.1.1).
 *
 * @param encoded the value in the prefix of the section
 * @param maxCapacity SETTINGS_QPACK_MAX_TABLE_CAPACITY of the decoder
 * @param insertions number of entries that the decoder has inserted so far
 * @returns -1 if the value is invalid
 */
export function requiredInsertCount(
  encoded: number,
  maxCapacity: number,
  insertions: number,
): number {
  if (encoded === 0) return 0;
  const maxEntries = Math.floor(maxCapacity / MIN_ENTRY);
  const range = 2 * maxEntries;
  if (encoded > range) return -1;
  const max = insertions + maxEntries;
  const count = Math.floor(max / range) * range + encoded - 1;
  if (count <= max) return count === 0 ? -1 : count;
  // The encoder has wrapped once less.
  return count <= range ? -1 : count - range;
}
