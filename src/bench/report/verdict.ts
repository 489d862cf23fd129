import { counted } from '../../check/words.ts';
import type { Row } from './report.ts';
import { hasErrors, isInvalidRow } from './table.ts';

/** Whether the rows can be trusted, as a sentence. */
export function verdictOf(rows: readonly Row[]): string {
  const valid = rows.filter((row) => !isInvalidRow(row));
  if (rows.length === 0) return 'Nothing was measured.';
  const dropped = rows.reduce(
    (sum, { disturbed_rounds: { full_load: full, fixed_rate: fixed } }) => sum + full + fixed,
    0,
  );
  const isMany = rows.length - valid.length > 1;
  if (valid.length === 0) return 'Do not believe this run: it was disturbed, and no row is valid.';
  if (valid.length < rows.length) {
    return `Believe only ${valid.length} of ${rows.length} rows: the ${isMany ? 'others were' : 'other was'} disturbed, and ${isMany ? 'are' : 'is'} invalid.`;
  }
  const wrong = rows.filter(hasErrors).length;
  const texts = [
    ...(dropped > 0
      ? [`${counted(dropped, 'disturbed round')} ${dropped === 1 ? 'was' : 'were'} dropped`]
      : []),
    ...(wrong > 0 ? [`${counted(wrong, 'row')} with errors`] : []),
  ];
  return texts.length === 0
    ? 'This run can be believed: no round was disturbed.'
    : `This run can be believed; ${texts.join(', ')}.`;
}
