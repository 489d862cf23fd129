import { currentDate } from '../../../http/date.ts';
import { fieldPairs, fieldSize, sectionSize } from '../../../http/fields.ts';
import { paddingLengths, type LargeHead } from '../../../server/fault.ts';

export type Pair = readonly [name: string, value: string];

export function lowerCase(fields: readonly string[]): Pair[] {
  return Array.from(fieldPairs(fields), ([name, value]) => [name.toLowerCase(), value]);
}

const NAME = 'x-fault';

/** Adds fields up to a number, or up to a size counted as for SETTINGS_MAX_HEADER_LIST_SIZE. */
export function enlarge(fields: string[], status: number, large: LargeHead): void {
  if (large.how === 'count') {
    // Counts Date, which Node adds. `:status` does not count as a field.
    for (let at = fields.length / 2 + 1; at < large.fields; at++) fields.push(NAME, String(at));
    return;
  }
  const own = [':status', String(status), 'date', currentDate()];
  const missing = large.bytes - sectionSize(own) - sectionSize(fields);
  const lengths = paddingLengths(missing, fieldSize(NAME, ''));
  for (const length of lengths) fields.push(NAME, 'x'.repeat(length));
}
