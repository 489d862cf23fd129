import { fieldPairs } from '../../../http/fields.ts';
import type { LargeHead } from '../../../server/fault.ts';

export type Pair = readonly [name: string, value: string];

export function lowerCase(fields: readonly string[]): Pair[] {
  return Array.from(fieldPairs(fields), ([name, value]) => [name.toLowerCase(), value]);
}

const NAME = 'x-fault';
/** Bytes counted for a field in addition to its name and value (RFC 9113 6.5.2). */
const FIELD_OVERHEAD = 32;
const MAX_VALUE = 8 * 1024;

/** Adds fields up to a number, or up to a size counted as for SETTINGS_MAX_HEADER_LIST_SIZE. */
export function enlarge(fields: string[], status: number, large: LargeHead): void {
  // Counts Date, which Node adds.
  const date = ['date', new Date().toUTCString()] as const;
  const present = [[':status', String(status)] as const, date, ...fieldPairs(fields)];
  if (large.how === 'count') {
    // `:status` does not count as a field.
    for (let at = present.length - 1; at < large.fields; at++) fields.push(NAME, String(at));
    return;
  }
  const overhead = NAME.length + FIELD_OVERHEAD;
  let missing = large.bytes;
  for (const [name, value] of present) missing -= name.length + value.length + FIELD_OVERHEAD;
  while (missing >= overhead) {
    // Leave room for one more field.
    const size = missing < 2 * MAX_VALUE ? Math.min(missing - overhead, MAX_VALUE) : MAX_VALUE;
    fields.push(NAME, 'x'.repeat(size));
    missing -= size + overhead;
  }
}
