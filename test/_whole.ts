/** Whether long tables are run as a whole: `npm run test:whole`. */
const isWhole = process.env['WIREBIN_TEST_WHOLE'] === '1';

/**
 * Every so many-th row of a long table, all of them in `npm run test:whole`.
 * @param first the index of the first row
 */
export function everyNth<Row>(step: number, rows: readonly Row[], first = 0): readonly Row[] {
  return isWhole ? rows : rows.filter((_row, at) => at % step === first);
}

/** How often something is repeated: so many times in `npm run test:whole`, an eighth of them otherwise. */
export function rounds(whole: number): number {
  return isWhole ? whole : Math.ceil(whole / 8);
}
