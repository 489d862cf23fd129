import { listMembers } from './syntax.ts';

/** A byte range with inclusive ends (RFC 9110 14.1.2). */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const MAX_RANGES = 100;

const BYTES = /^bytes=(.*)$/i;
const RANGE_SPEC = /^(\d*)-(\d*)$/;

/**
 * The ranges that a Range field selects (RFC 9110 14.1.2, 14.2), in the requested order.
 *
 * @param length bytes of the complete representation
 * @param maxTotal maximum bytes of all ranges together
 * @returns empty if no range is satisfiable (416); undefined if the field must be ignored: malformed, another unit,
 * more than 100 ranges, or more bytes than `maxTotal`
 */
export function selectRanges(
  field: string,
  length: number,
  maxTotal: number,
): readonly ByteRange[] | undefined {
  const set = BYTES.exec(field)?.[1];
  if (set === undefined) return undefined;
  const specs = listMembers(set);
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
  // Overlapping ranges must not multiply the response size (RFC 9110 17.15).
  return total > maxTotal ? undefined : ranges;
}

/** Parses a range. @returns first > last if it is not satisfiable; undefined if it is malformed */
function parseRange(spec: string, length: number): ByteRange | undefined {
  const [, from = '', to = ''] = RANGE_SPEC.exec(spec) ?? [];
  const end = length - 1;
  if (from !== '') {
    const first = Number(from);
    const last = to === '' ? Infinity : Number(to);
    return last < first ? undefined : { first, last: Math.min(last, end) };
  }
  // A suffix range: the last bytes, or all if there are fewer.
  return to === '' ? undefined : { first: Math.max(0, length - Number(to)), last: end };
}

/** Bytes in a range. */
export function rangeLength({ first, last }: ByteRange): number {
  return last - first + 1;
}

/** A value of Content-Range (RFC 9110 14.4). Without a range, for a 416 response. */
export function contentRange(range: ByteRange | undefined, length: number): string {
  return range ? `bytes ${range.first}-${range.last}/${length}` : `bytes */${length}`;
}
