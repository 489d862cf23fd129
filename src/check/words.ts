/** A number with its noun: `1 check`, `2 checks`. */
export const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Why there is no steady verdict, and what was found. */
export function wordsOf(result: {
  readonly reason?: string | undefined;
  readonly found?: string | undefined;
}): string {
  return [result.reason, result.found].filter((text) => text !== undefined).join(': ');
}
