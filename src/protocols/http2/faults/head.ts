import { currentDate } from '../../../http/date.ts';
import { fieldPairs, fieldSize, sectionSize } from '../../../http/fields.ts';
import type { LargeHead } from '../../../server/fault.ts';

export type Pair = readonly [name: string, value: string];

export function lowerCase(fields: readonly string[]): Pair[] {
  return Array.from(fieldPairs(fields), ([name, value]) => [name.toLowerCase(), value]);
}

const NAME = 'x-fault';
const MAX_VALUE = 8 * 1024;

/** Adds fields up to a number, or up to a size counted as for SETTINGS_MAX_HEADER_LIST_SIZE. */
export function enlarge(fields: string[], status: number, large: LargeHead): void {
  if (large.how === 'count') {
    // Counts Date, which Node adds. `:status` does not count as a field.
    for (let at = fields.length / 2 + 1; at < large.fields; at++) fields.push(NAME, String(at));
    return;
  }
  const overhead = fieldSize(NAME, '');
  const own = [':status', String(status), 'date', currentDate()];
  let missing = large.bytes - sectionSize(own) - sectionSize(fields);
  while (missing >= overhead) {
    // Leave room for one more field.
    const size = missing < 2 * MAX_VALUE ? Math.min(missing - overhead, MAX_VALUE) : MAX_VALUE;
    fields.push(NAME, 'x'.repeat(size));
    missing -= size + overhead;
  }
}
