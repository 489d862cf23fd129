import { benchElements } from '../bench/report/elements.ts';
import { FORMAT_VERSION, reportSchema } from '../bench/report/report.ts';
import { hasErrors, headLines, isInvalidRow } from '../bench/report/table.ts';
import { counted } from '../check/words.ts';
import { listElement } from '../pages/element.ts';
import { guard } from '../server/schema.ts';
import type { Report } from './report-json.ts';

const isReport = guard(reportSchema);

/** The page's view of a `wirebin bench` report, like that in HTML. @param value with a format that can be read */
export function benchReport(value: object): Report {
  const report: unknown = { ...value, format: FORMAT_VERSION };
  if (!isReport(report)) throw new Error('a member is missing, or has another type');
  const { rows, failed_gates: failures, verdict } = report;
  const wrong = rows.filter(hasErrors).length;
  const invalid = rows.filter(isInvalidRow).length;
  const parts = [
    `${counted(rows.length, 'row')}, ${wrong || 'none'} with errors`,
    ...(invalid > 0 ? [`${invalid} invalid`] : []),
    ...(failures.length > 0 ? [`${counted(failures.length, 'gate')} failed`] : []),
  ];
  return {
    // With --during, there are no rows.
    summary: rows.length > 0 ? parts.join(', ') : verdict,
    isBad: wrong + invalid + failures.length > 0,
    elements: [
      ...listElement([...headLines(report), report.started_at], 'hint'),
      ...benchElements(report, 3),
    ],
  };
}
