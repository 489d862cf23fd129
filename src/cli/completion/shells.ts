/** The shells that `wirebin completion` knows. */
export const SHELLS = ['bash', 'fish', 'zsh'] as const;
export type Shell = (typeof SHELLS)[number];
