/** A number with its noun: `1 check`, `2 checks`. */
export const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;

interface Words {
  readonly reason?: string | undefined;
  readonly found?: string | undefined;
}

/** `reason` and `found` of a result as one text. */
export function resultText({ reason, found }: Words): string {
  return [reason, found].filter((text) => text !== undefined).join(': ');
}

/** Results with the same key are shown as one. How often a finding was seen is not part of it. */
export function verdictKey(
  result: Words & {
    readonly id: string;
    readonly outcome: string;
    readonly expected?: string | undefined;
  },
): string {
  const { id, outcome, expected, found, reason } = result;
  return JSON.stringify([id, outcome, expected, found, outcome === 'fail' ? null : reason]);
}
