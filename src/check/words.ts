/** A number with its noun: `1 check`, `2 checks`. */
export const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;

/** The message of what was thrown. */
export const errorText = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
