/** Splits two texts into their common beginning, the different parts of each, and their common end. */
export function difference(one: string, other: string): [string, string, string, string] {
  const most = Math.min(one.length, other.length);
  let start = 0;
  while (start < most && one[start] === other[start]) start++;
  let end = 0;
  while (end < most - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  return [
    one.slice(0, start),
    one.slice(start, one.length - end),
    other.slice(start, other.length - end),
    one.slice(one.length - end),
  ];
}
