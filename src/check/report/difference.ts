/** Where two texts differ: what they begin with, what only each has, what they end with. */
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
