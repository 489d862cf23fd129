import { aligned } from '../../check/report/aligned.ts';

/** Rows of cells as lines with columns. @param isRight whether a column is aligned to the right */
export const textLines = (
  rows: readonly (readonly string[])[],
  isRight: (column: number) => boolean,
): string[] => aligned(rows, isRight).map((cells) => cells.join('  ').trimEnd());
