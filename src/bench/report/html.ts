import { htmlPage } from '../../check/report/html-page.ts';
import { brokenOf, hasFailed } from './during.ts';
import { benchElements } from './elements.ts';
import type { Report } from './report.ts';
import { hasErrors, headLines } from './table.ts';

/** A report as one HTML file, with charts. */
export const htmlReport = (report: Report): string =>
  htmlPage({
    title: `wirebin bench ${report.target}`,
    facts: headLines(report),
    summary: report.verdict,
    look: lookOf(report),
    elements: benchElements(report, { heading: 2, hasVerdict: true }),
  });

/** A missed gate and errors fail; what is slower, invalid or undecided is to be looked at. */
function lookOf({ failed_gates: gates, rows, during = [] }: Report): string {
  const isFailed = gates.length > 0 || rows.some(hasErrors) || during.some(hasFailed);
  if (isFailed) return 'fail';
  const isGood = rows.every(({ verdict }) => verdict === 'faster' || verdict === 'no-difference');
  return isGood && !brokenOf(during) ? 'pass' : '';
}
