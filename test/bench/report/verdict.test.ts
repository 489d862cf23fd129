import { expect, test } from 'vitest';
import { verdictOf } from '../../../src/bench/report/verdict.ts';
import { row } from '../_rows.ts';

const invalid = { ...row, limited_by: 'invalid' } as const;
const dropped = { ...row, disturbed_rounds: { full_load: 2, fixed_rate: 1 } };
const wrong = { ...row, target: { ...row.target, errors: { reset: 1 } } };

test.each([
  [[], 'Nothing was measured.'],
  [[row, row], 'This run can be believed: no round was disturbed.'],
  [[row, dropped], 'This run can be believed; 3 disturbed rounds were dropped.'],
  [[wrong, row], 'This run can be believed; 1 row with errors.'],
  [[row, invalid], 'Believe only 1 of 2 rows: the other was disturbed, and is invalid.'],
  [
    [row, invalid, invalid],
    'Believe only 1 of 3 rows: the others were disturbed, and are invalid.',
  ],
  [[invalid], 'Do not believe this run: it was disturbed, and no row is valid.'],
])('%#', (rows, verdict) => {
  expect(verdictOf(rows)).toBe(verdict);
});
