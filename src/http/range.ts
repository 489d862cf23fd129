import { trimOws } from './fields.ts';

/** Both ends count (RFC 9110 14.1.2). */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const MAX_RANGES = 100;

// A list may have empty elements (RFC 9110 5.6.1.2); nothing but commas takes white space.
const BYTES = /^bytes=(.*)$/i;
const RANGE_SPEC = /^(\d*)-(\d*)$/;

/**
 * The ranges a Range field selects (RFC 9110 14.1.2, 14.2), in the order they were asked for.
 *
 * @param length bytes of the whole representation
 * @param maxTotal bytes of all ranges together
 * @returns an empty array when none is satisfiable (416); undefined when the field is to be ignored:
 * malformed, in another unit, more than 100 ranges, or more bytes than `maxTotal`
 */
export function selectRanges(
  field: string,
  length: number,
  maxTotal: number,
): readonly ByteRange[] | undefined {
  const set = BYTES.exec(field)?.[1];
  if (set === undefined) return undefined;
  const specs = set
    .split(',')
    .map(trimOws)
    .filter((spec) => spec !== '');
  if (specs.length === 0 || specs.length > MAX_RANGES) return undefined;
  const ranges: ByteRange[] = [];
  let total = 0;
  for (const spec of specs) {
    const range = parseRange(spec, length);
    if (range === undefined) return undefined;
    if (range.first > range.last) continue;
    ranges.push(range);
    total += rangeLength(range);
  }
  // Ranges that overlap must not multiply a response (17.15).
  return total > maxTotal ? undefined : ranges;
}

/** @returns first beyond last where the range is not satisfiable, undefined where it is malformed */
function parseRange(spec: string, length: number): ByteRange | undefined {
  const [, from = '', to = ''] = RANGE_SPEC.exec(spec) ?? [];
  const end = length - 1;
  if (from !== '') {
    const first = Number(from);
    const last = to === '' ? Infinity : Number(to);
    return last < first ? undefined : { first, last: Math.min(last, end) };
  }
  // The last so many bytes: all of them where there are fewer.
  return to === '' ? undefined : { first: Math.max(0, length - Number(to)), last: end };
}

/** Bytes of a range. */
export function rangeLength({ first, last }: ByteRange): number {
  return last - first + 1;
}

/** The value of Content-Range (RFC 9110 14.4): without a range, that of a 416. */
export function contentRange(range: ByteRange | undefined, length: number): string {
  return range ? `bytes ${range.first}-${range.last}/${length}` : `bytes */${length}`;
}
