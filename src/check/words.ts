/** A number with its noun: `1 check`, `2 checks`. */
export const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;

/** `reason` and `found` of a result as one text. */
export function resultText(result: {
  readonly reason?: string | undefined;
  readonly found?: string | undefined;
}): string {
  return [result.reason, result.found].filter((text) => text !== undefined).join(': ');
}
