/** Whether long tables are run as a whole: `npm run test:whole`. */
const isWhole = process.env['WIREBIN_TEST_WHOLE'] === '1';

/** Every so many-th row of a long table, beginning with the first; all of them in `npm run test:whole`. */
export function everyNth<Row>(step: number, rows: readonly Row[]): readonly Row[] {
  return isWhole ? rows : rows.filter((_row, at) => at % step === 0);
}
