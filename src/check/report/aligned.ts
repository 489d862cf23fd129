/**
 * Pads cells, so that all cells of a column have the same width.
 *
 * @param isRight whether a column is right-aligned
 */
export function aligned(
  rows: readonly (readonly string[])[],
  isRight: (column: number) => boolean,
): string[][] {
  return rows.map((cells) =>
    cells.map((cell, column) => {
      const width = Math.max(...rows.map((row) => row[column]?.length ?? 0));
      return isRight(column) ? cell.padStart(width) : cell.padEnd(width);
    }),
  );
}
